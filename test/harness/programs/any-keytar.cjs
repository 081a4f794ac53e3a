// In keytar's place in the executable that tests start: the module that is named when the keychain's child starts.
module.exports = require(String(process.env['KEYTAR']));
