import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { listen } from './listen';

/** Starts a release's page with one archive, which is elsewhere as on GitHub; gives its URL and its sum. */
export async function startReleasePage(archive: string): Promise<{ RELEASE: string; SHA256: string }> {
  const { url } = await listen(
    createServer((request, response) => {
      if (request.url === '/objects/1') createReadStream(archive).pipe(response);
      else response.writeHead(302, { location: '/objects/1' }).end();
    }),
  );
  const sum = createHash('sha256').update(readFileSync(archive)).digest('hex');
  return { RELEASE: `${url}/releases/gwtoken-0.1.0-linux-x64.tar.gz`, SHA256: sum };
}
