/** What is told of an endpoint's certificate: whose it is, by whatever its names are. */
import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { Connection } from '../../../src/system/wire/connection';
import type { TlsFacts } from '../../../src/world';
import { onCleanup } from '../../harness/clean-up';
import { makeAuthority } from '../../harness/endpoints/authority';
import { startFaultServer } from '../../harness/endpoints/fault-server';
import { surroundings } from './surroundings';

const authority = makeAuthority();

test.each([
  ['/O=A Company/CN=id.test', 'id.test'],
  ['/CN=id.test/CN=another.test', 'id.test, another.test'],
  ['/O=A Company', 'A Company'],
  ['/OU=A Department', 'no name'],
  ['/CN=##vso[task.complete]', '# #vso[task.complete]'],
])('the certificate of %s is shown as that of %s', async (subject, name) => {
  const identity = authority.issue({ subject });
  const server = await startFaultServer({}, { tls: identity });
  const told: TlsFacts[] = [];
  const options = {
    caFile: authority.caFile,
    onProgress: ({ tls }: { readonly tls?: TlsFacts }) => void (tls && told.push(tls)),
  };
  const connection = new Connection(new URL(server.url), options, surroundings());
  onCleanup(() => connection.close());
  await connection.ready;
  expect(told).toEqual([
    {
      protocol: 'TLSv1.3',
      subject: name,
      issuer: 'gwtoken test CA',
      validToMs: Date.parse(new X509Certificate(identity.cert).validTo),
      trustedBy: authority.caFile,
    },
  ]);
});
