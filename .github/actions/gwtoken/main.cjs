// The program is built at each release, and only the commits of its tags contain it.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const program = join(__dirname, 'dist', 'action.cjs');
if (existsSync(program)) require(program);
else {
  console.log(
    '::error title=gwtoken::this commit does not contain the built action: use a tag action/vX.Y.Z',
  );
  process.exitCode = 2;
}
