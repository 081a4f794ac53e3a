// Packs an archive for each platform and one for the action. It needs Linux with GNU tar and zip; the same
// input gives the same bytes.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { NOTICES } from './notices.mjs';
import { MANIFEST, ROOT, sourceDate } from './package.mjs';

const NAME = `gwtoken-${MANIFEST.version}`;
/** The completion scripts by the file names that their shells look for. */
const COMPLETIONS = {
  'gwtoken.bash': 'bash',
  _gwtoken: 'zsh',
  'gwtoken.fish': 'fish',
  'gwtoken.ps1': 'powershell',
};

/**
 * Packs the archive of a platform.
 * @param {string} target
 * @param {string} built the directory with its executable and notices
 * @param {string} directory where to put the archive
 */
export function packExecutable(target, built, directory) {
  const isWindows = target.startsWith('windows');
  const program = isWindows ? 'gwtoken.exe' : 'gwtoken';
  const archive = join(directory, `${NAME}-${target}${isWindows ? '.zip' : '.tar.gz'}`);
  const scratch = mkdtempSync(join(tmpdir(), 'gwtoken-pack-'));
  try {
    mkdirSync(join(scratch, 'completions'));
    const others = [join(ROOT, 'dist', 'gwtoken.1'), join(ROOT, 'LICENSE')];
    for (const file of [join(built, program), join(built, NOTICES), ...others])
      copyFileSync(file, join(scratch, basename(file)));
    for (const [name, shell] of Object.entries(COMPLETIONS)) {
      const script = execFileSync(process.execPath, [join(ROOT, 'dist', 'gwtoken.cjs'), 'completion', shell]);
      writeFileSync(join(scratch, 'completions', name), script);
    }
    (isWindows ? zip : tar)(archive, scratch, readdirSync(scratch));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Packs the action's archive.
 * @param {string} action the directory with `dist`
 * @param {string} directory where to put the archive
 */
export function packAction(action, directory) {
  tar(join(directory, `${NAME}-action.tar.gz`), action, ['dist']);
}

/** @param {string} file @param {string} content @param {readonly string[]} names */
function tar(file, content, names) {
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=go=u-w'];
  const fixed = ['--sort=name', `--mtime=@${sourceDate()}`, ...owner, '--use-compress-program=gzip -n'];
  execFileSync('tar', ['-cf', file, ...fixed, '-C', content, ...[...names].sort()]);
}

/** @param {string} file @param {string} content @param {readonly string[]} names */
function zip(file, content, names) {
  const date = sourceDate();
  for (const name of readdirSync(content, { recursive: true, encoding: 'utf8' }))
    utimesSync(join(content, name), date, date);
  rmSync(file, { force: true });
  const env = { ...process.env, TZ: 'UTC' };
  execFileSync('zip', ['-q', '-X', '-r', file, ...[...names].sort()], { cwd: content, env });
}
