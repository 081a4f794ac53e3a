// Prints a release's software bill of materials (CycloneDX) with the packages in its programs. npm's own
// list contains all packages for building and testing, but not Bun.
import { execSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUN } from './bun.mjs';
import { NOTICES } from './notices.mjs';
import { MANIFEST, ROOT } from './package.mjs';

const list = 'npm sbom --sbom-format=cyclonedx --sbom-type=application';
const sbom = JSON.parse(execSync(list, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 }));
const notices = readFileSync(join(ROOT, 'dist', NOTICES), 'utf8');
const bun = { type: 'library', name: 'bun', version: BUN.version, purl: `pkg:npm/bun@${BUN.version}` };

/** @type {{ name: string, version: string, properties: { name: string }[] }[]} */
const installed = sbom.components;
// The notices name the bundled packages. keytar and its dependencies are not development packages.
const components = installed.filter(
  ({ name, version, properties }) =>
    notices.includes(`\n${name} ${version} (`) ||
    !properties.some((property) => property.name === 'cdx:npm:package:development'),
);
sbom.metadata.component.name = MANIFEST.name;
sbom.components = [...components, { ...bun, 'bom-ref': bun.purl, licenses: [{ license: { id: 'MIT' } }] }];
// The graph is npm's, with packages that the programs do not contain.
delete sbom.dependencies;
console.log(JSON.stringify(sbom, null, 2));
