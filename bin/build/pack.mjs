// What a release has beside the npm package: an archive for each platform, Debian packages, a Homebrew formula and a
// Scoop manifest. On Linux, with GNU tar, zip, unzip and dpkg-deb; the same executables give the same bytes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { NOTICES, sourceDate } from './package.mjs';
import { verifyProgram } from './verify.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { description, license, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const summary = description.split(',')[0];
const MAINTAINER = 'The gwtoken maintainers <noreply@github.com>';

/** The completion scripts by the name under which their shell looks for them. */
const COMPLETIONS = {
  'gwtoken.bash': 'bash',
  _gwtoken: 'zsh',
  'gwtoken.fish': 'fish',
  'gwtoken.ps1': 'powershell',
};
/** The end of the .deb's copyright file. */
const OF_OTHERS = `Parts of others and their licences: /usr/share/doc/gwtoken/THIRD-PARTY-NOTICES.txt
Some are under the GNU Library General Public License, version 2: on Debian systems its full text is in
/usr/share/common-licenses/LGPL-2
`;
/** Lintian's findings that cannot be otherwise. Debian's custom is to name them in the package, with reasons. */
const LINTIAN_OVERRIDES = `# Bun's runtime links its libraries statically.
gwtoken: embedded-library * [usr/bin/gwtoken]
# Stripped, the file is Bun, and gwtoken no longer.
gwtoken: unstripped-binary-or-object [usr/bin/gwtoken]
# Bun is linked so by its makers.
gwtoken: hardening-no-pie [usr/bin/gwtoken]
gwtoken: hardening-no-relro [usr/bin/gwtoken]
gwtoken: hardening-no-bindnow [usr/bin/gwtoken]
`;
/** @type {Record<string, string>} Debian's architecture of a platform. */
const DEBS = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' };

/**
 * Makes the archive of a platform, and for some a Debian package, and unpacks them again to see what is in them.
 * @param {string} target
 * @param {string} built the folder with its executable and notices
 * @param {string} folder where to put what is made
 */
export function pack(target, built, folder) {
  mkdirSync(folder, { recursive: true });
  inTemporaryFolder((made) => {
    const content = join(made, 'content');
    mkdirSync(join(content, 'completions'), { recursive: true });
    const windows = target.startsWith('windows');
    const program = windows ? 'gwtoken.exe' : 'gwtoken';
    for (const name of [program, NOTICES]) copyFileSync(join(built, name), join(content, name));
    copyFileSync(join(root, 'dist', 'gwtoken.1'), join(content, 'gwtoken.1'));
    for (const [name, shell] of Object.entries(COMPLETIONS)) {
      const script = execFileSync(process.execPath, [join(root, 'dist', 'gwtoken.cjs'), 'completion', shell]);
      writeFileSync(join(content, 'completions', name), script);
    }
    copyFileSync(join(root, 'LICENSE'), join(content, 'LICENSE'));
    const names = readdirSync(content).sort();
    const archive = join(folder, `gwtoken-${version}-${target}${windows ? '.zip' : '.tar.gz'}`);
    const unpacked = join(made, 'unpacked');
    mkdirSync(unpacked);
    (windows ? zip : tar)(content, names, archive);
    if (windows) execFileSync('unzip', ['-q', archive, '-d', unpacked]);
    else execFileSync('tar', ['-xzf', archive, '-C', unpacked]);
    verifyProgram(target, join(unpacked, program));
    for (const name of ['LICENSE', NOTICES]) statSync(join(unpacked, name));
    const architecture = DEBS[target];
    if (architecture === undefined) return;
    const deb = join(made, 'deb');
    execFileSync('dpkg-deb', ['-x', writeDeb(content, architecture, folder), deb]);
    verifyProgram(target, join(deb, 'usr/bin/gwtoken'));
  });
}

/**
 * @param {string} content
 * @param {readonly string[]} names
 * @param {string} file
 */
export function tar(content, names, file) {
  const same = ['--sort=name', `--mtime=@${sourceDate()}`, '--owner=0', '--group=0', '--numeric-owner'];
  const options = { maxBuffer: 2 ** 30 };
  const bytes = execFileSync('tar', ['-c', ...same, '--mode=go=u-w', '-C', content, ...names], options);
  writeFileSync(file, gzipSync(bytes));
}

/**
 * @param {string} content
 * @param {readonly string[]} names
 * @param {string} file
 */
function zip(content, names, file) {
  for (const name of readdirSync(content, { recursive: true, encoding: 'utf8' }))
    utimesSync(join(content, name), sourceDate(), sourceDate());
  rmSync(file, { force: true });
  const env = { ...process.env, TZ: 'UTC' };
  execFileSync('zip', ['-q', '-X', '-r', file, ...names], { cwd: content, env, stdio: 'inherit' });
}

/**
 * Makes a Debian package, and returns its path.
 * @param {string} content
 * @param {string} architecture
 * @param {string} folder
 */
function writeDeb(content, architecture, folder) {
  return inTemporaryFolder((made) => {
    /** @type {readonly (readonly [from: string, to: string])[]} */
    const files = [
      ['gwtoken', 'usr/bin/gwtoken'],
      ['completions/gwtoken.bash', 'usr/share/bash-completion/completions/gwtoken'],
      ['completions/_gwtoken', 'usr/share/zsh/vendor-completions/_gwtoken'],
      ['completions/gwtoken.fish', 'usr/share/fish/vendor_completions.d/gwtoken.fish'],
      [NOTICES, 'usr/share/doc/gwtoken/THIRD-PARTY-NOTICES.txt'],
    ];
    for (const [from, to] of files) cpSync(join(content, from), join(made, to));
    writeFileSync(
      join(made, 'usr/share/doc/gwtoken/copyright'),
      `${readFileSync(join(root, 'LICENSE'), 'utf8')}
${OF_OTHERS}`,
    );
    for (const name of ['usr/share/man/man1', 'usr/share/lintian/overrides', 'DEBIAN'])
      mkdirSync(join(made, name), { recursive: true });
    writeFileSync(join(made, 'usr/share/lintian/overrides/gwtoken'), LINTIAN_OVERRIDES);
    /** @param {string} name @param {string | Buffer} text */
    const share = (name, text) => writeFileSync(join(made, 'usr/share', name), gzipSync(text, { level: 9 }));
    share('man/man1/gwtoken.1.gz', readFileSync(join(content, 'gwtoken.1')));
    const size = Math.ceil(statSync(join(content, 'gwtoken')).size / 1024);
    // A prerelease sorts before its release by a tilde.
    const debian = version.replace('-', '~');
    const date = new Date(sourceDate() * 1000).toUTCString().replace('GMT', '+0000');
    const change = `gwtoken (${debian}) unstable; urgency=medium\n\n  * See the notes on the release's page.`;
    share('doc/gwtoken/changelog.gz', `${change}\n\n -- ${MAINTAINER}  ${date}\n`);
    writeFileSync(
      join(made, 'DEBIAN', 'control'),
      `Package: gwtoken
Version: ${debian}
Architecture: ${architecture}
Maintainer: ${MAINTAINER}
Installed-Size: ${size}
Depends: libc6
Recommends: libsecret-1-0
Section: utils
Priority: optional
Description: ${summary}
 Keeps the client's secret in the Secret Service (GNOME Keyring, KWallet,
 KeePassXC), caches its tokens, and passes them to shells, commands and CI.
`,
    );
    execFileSync('chmod', ['-R', 'u=rwX,go=rX', made]);
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(sourceDate()) };
    // GitHub would make a dot of a tilde in a file's name.
    const file = join(folder, `gwtoken_${debian.replace('~', '.')}_${architecture}.deb`);
    const options = ['--root-owner-group', '-Zgzip', '--build', made, file];
    execFileSync('dpkg-deb', options, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    return file;
  });
}

/**
 * Writes gwtoken.rb for Homebrew and gwtoken.json for Scoop, with the sums of the archives in the folder.
 * @param {string} folder
 * @param {string} url of the release's files, without a slash at its end
 */
export function writeManifests(folder, url) {
  /** @param {string} target */
  const fileOf = (target) => {
    const name = `gwtoken-${version}-${target}.${target.startsWith('windows') ? 'zip' : 'tar.gz'}`;
    const sum = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    return { url: `${url}/${name}`, sum };
  };
  const homepage = url.replace(/\/releases\/.*/, '');
  /** @param {string} target */
  const brew = (target) => {
    const file = fileOf(target);
    return `      url "${file.url}"\n      sha256 "${file.sum}"`;
  };
  writeFileSync(
    join(folder, 'gwtoken.rb'),
    `class Gwtoken < Formula
  desc "${summary}"
  homepage "${homepage}"
  license "${license}"

  on_macos do
    on_arm do
${brew('darwin-arm64')}
    end
    on_intel do
${brew('darwin-x64')}
    end
  end
  on_linux do
    on_arm do
${brew('linux-arm64')}
    end
    on_intel do
${brew('linux-x64')}
    end
  end

  def install
    bin.install "gwtoken"
    man1.install "gwtoken.1"
    bash_completion.install "completions/gwtoken.bash" => "gwtoken"
    zsh_completion.install "completions/_gwtoken"
    fish_completion.install "completions/gwtoken.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/gwtoken --version")
  end
end
`,
  );
  /** @param {string} target */
  const scoop = (target) => {
    const file = fileOf(target);
    return { url: file.url, hash: file.sum };
  };
  /** @param {string} target */
  const updateUrl = (target) => `${url.replace(/[^/]*$/, 'v$version')}/gwtoken-$version-${target}.zip`;
  const manifest = {
    version,
    description,
    homepage,
    license,
    architecture: { '64bit': scoop('windows-x64'), arm64: scoop('windows-arm64') },
    bin: 'gwtoken.exe',
    checkver: 'github',
    autoupdate: {
      architecture: {
        '64bit': { url: updateUrl('windows-x64') },
        arm64: { url: updateUrl('windows-arm64') },
      },
    },
  };
  writeFileSync(join(folder, 'gwtoken.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** @template T @param {(folder: string) => T} work @returns {T} what it returns */
function inTemporaryFolder(work) {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'gwtoken-pack-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
