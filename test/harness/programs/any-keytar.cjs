// In place of src/system/keychain/keytar.ts in the executable that tests start: the module that KEYTAR names is loaded.
module.exports = {
  loadKeytar: () => require(String(process.env['KEYTAR'])),
};
