/**
 * Runs in Node for Windows, in Wine, and starts programs over a socket: lines of JSON both ways. One that
 * Wine starts itself has Linux' own pipes, an environment that Wine has changed, and an exit code cut short.
 */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const [port] = process.argv.slice(2);
const socket = connect(Number(port), '127.0.0.1');
/** @param {object} message */
const say = (message) => socket.write(`${JSON.stringify(message)}\n`);
/** @type {Map<number, import('node:child_process').ChildProcess>} */
const running = new Map();

createInterface({ input: socket }).on('line', (line) => {
  const { id, kill, job } = JSON.parse(line);
  if (kill) end(id);
  else start(id, job);
});
socket.on('close', () => process.exit());

/**
 * Tells its own end, not that of its streams: what it started holds them, and lives on in Wine.
 * @param {number} id
 */
function end(id) {
  const child = running.get(id);
  child?.once('exit', (code) => say({ id, code }));
  child?.kill();
}

/**
 * @param {number} id
 * @typedef {{ command: string, args: string[], cwd: string }} Command
 * @param {Command & { env: Record<string, string | null>, stdin: string | null }} job `env`: on top of our own,
 *   whatever the case of its names; null removes. `stdin`: in base64; null leaves it open.
 */
function start(id, { command, args, env: over, cwd, stdin }) {
  const names = new Set(Object.keys(over).map((name) => name.toUpperCase()));
  /** @type {NodeJS.ProcessEnv} */
  const env = {};
  for (const [name, value] of Object.entries(process.env))
    if (!names.has(name.toUpperCase())) env[name] = value;
  for (const [name, value] of Object.entries(over)) if (value !== null) env[name] = value;
  const child = spawn(command, args, { env, cwd, stdio: 'pipe' });
  running.set(id, child);
  for (const name of /** @type {const} */ (['stdout', 'stderr']))
    child[name].on('data', (/** @type {Buffer} */ chunk) => say({ id, [name]: chunk.toString('base64') }));
  child.stdin.on('error', () => {});
  if (stdin !== null) child.stdin.end(Buffer.from(stdin, 'base64'));
  child.on('error', ({ message }) => say({ id, failure: message }));
  child.on('close', (code) => {
    running.delete(id);
    say({ id, code });
  });
}
