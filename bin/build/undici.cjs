// @ts-nocheck: undici has no types for its parts.
// Stands for undici's index in each bundle, which takes 30 ms to load: only the names that src imports.
const Client = require('undici/lib/dispatcher/client.js');
const buildConnector = require('undici/lib/core/connect.js');

// As the index does for all methods of lib/api.
Object.assign(Client.prototype, {
  request: require('undici/lib/api/api-request.js'),
  connect: require('undici/lib/api/api-connect.js'),
});

module.exports = { Client, buildConnector };
