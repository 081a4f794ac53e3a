// Replaces src/system/keychain/keytar.ts in the executable of tests. Loads the module that KEYTAR names.
module.exports = {
  loadKeytar: () => require(String(process.env['KEYTAR'])),
};
