import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { listen } from '../harness/endpoints/listen';

export interface Registry {
  readonly url: string;
  /** The paths that were asked for. */
  readonly asked: string[];
}

/** An npm registry with one package in one version, as npm's own API gives it; everything else is not found. */
export async function startRegistry(tarball: string, manifest: Record<string, unknown>): Promise<Registry> {
  const content = readFileSync(tarball);
  const { name, version } = manifest as { name: string; version: string };
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    if (path === `/${name}`) {
      const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
      const dist = { tarball: `${url}/${name}.tgz`, integrity };
      const versions = { [version]: { ...manifest, devDependencies: {}, dist } };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
    } else if (path === `/${name}.tgz`) response.end(content);
    else response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  });
  const { url } = await listen(server);
  const asked: string[] = [];
  return { url, asked };
}
