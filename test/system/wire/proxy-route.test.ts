/** Which proxy an address is reached through. */
import { describe, expect, test } from 'vitest';
import { routeTo } from '../../../src/system/wire/proxy';

const PROXY = 'http://proxy.test:3128';
const isProxied = (address: string, noProxy: string): boolean =>
  typeof routeTo(new URL(address), { HTTPS_PROXY: PROXY, NO_PROXY: noProxy }) !== 'string';

describe('NO_PROXY', () => {
  test.each([
    ['*', 'https://id.example.com'],
    ['example.com', 'https://id.example.com'],
    ['.example.com', 'https://id.example.com'],
    ['.example.com', 'https://example.com'],
    ['*.example.com', 'https://id.example.com'],
    ['EXAMPLE.com', 'https://id.Example.COM'],
    ['example.com', 'https://id.example.com.'],
    ['a.test, example.com ,b.test', 'https://id.example.com'],
    ['example.com:443', 'https://id.example.com'],
    ['example.com:8443', 'https://id.example.com:8443'],
    ['10.1.2.3', 'https://10.1.2.3'],
    ['10.1.2.3:8443', 'https://10.1.2.3:8443'],
    ['[::1]', 'https://[::1]:8443'],
  ])('%j covers %s', (list, address) => {
    expect(isProxied(address, list)).toBe(false);
  });

  test.each([
    ['', 'https://id.example.com'],
    ['.', 'https://id.example.com'],
    ['example.com', 'https://notexample.com'],
    ['example.com:8443', 'https://example.com'],
    ['example', 'https://example.com'],
    ['1.2.3', 'https://10.1.2.3'],
    ['2.3', 'https://10.1.2.3'],
  ])('%j does not cover %s', (list, address) => {
    expect(isProxied(address, list)).toBe(true);
  });
});

describe('HTTPS_PROXY', () => {
  const route = (env: Record<string, string>) => routeTo(new URL('https://id.example.com'), env);
  const header = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

  test.each([
    ['http://proxy.test', 'proxy.test:80', false, undefined],
    ['https://proxy.test', 'proxy.test:443', true, undefined],
    ['proxy.test:3128', 'proxy.test:3128', false, undefined],
    ['HTTP://u:p@proxy.test:3128/path?query', 'proxy.test:3128', false, header('u:p')],
    ['http://[::1]:3128', '[::1]:3128', false, undefined],
    ['u:p@proxy.test:3128', 'proxy.test:3128', false, header('u:p')],
    ['http://u@proxy.test:3128', 'proxy.test:3128', false, header('u:')],
    ['http://u:a%40b%3Ac@proxy.test:3128', 'proxy.test:3128', false, header('u:a@b:c')],
    ['http://u:100%@proxy.test:3128', 'proxy.test:3128', false, header('u:100%')],
    ['http://%C3%BC:p@proxy.test:3128', 'proxy.test:3128', false, header('ü:p')],
  ])('%s', (value, name, secure, authorization) => {
    const [, host = '', port] = /^(.*):(\d+)$/.exec(name) ?? [];
    expect(route({ HTTPS_PROXY: value })).toEqual({
      ...{ name, secure, authorization, source: 'HTTPS_PROXY' },
      hostname: host.replace(/^\[|\]$/g, ''),
      port: Number(port),
    });
  });

  test('the lower-case variables come first, and empty ones do not count', () => {
    const both = { HTTPS_PROXY: 'b.test:2', https_proxy: 'a.test:1' };
    expect(route(both)).toMatchObject({ name: 'a.test:1', source: 'https_proxy' });
    expect(route({ ...both, https_proxy: '' })).toMatchObject({ source: 'HTTPS_PROXY' });
    for (const none of [{ HTTPS_PROXY: '' }, { ALL_PROXY: PROXY, HTTP_PROXY: PROXY }])
      expect(route(none)).toBe('HTTPS_PROXY is not set');
    const lists = { HTTPS_PROXY: PROXY, no_proxy: 'example.com', NO_PROXY: 'other.test' };
    expect(route(lists)).toBe('NO_PROXY contains example.com');
    expect(route({ ...lists, no_proxy: '' })).toMatchObject({ source: 'HTTPS_PROXY' });
  });

  test.each([
    'socks5://u:canary@proxy.test',
    'http://u:canary@',
    '://canary',
    'http://u:canary/1@proxy.test',
    'u?:canary@proxy.test',
    'https://u:canary\\@proxy.test',
    'http://canary:12/1\n2@proxy.test',
  ])('%j is an error that shows nothing of it', (value) => {
    expect(() => route({ HTTPS_PROXY: value })).toThrow(
      expect.objectContaining({
        kind: 'usage',
        message: 'HTTPS_PROXY is not the URL of an HTTP proxy',
        hints: [
          'example: HTTPS_PROXY=http://USER:PASSWORD@proxy.example.com:3128; in a password / is %2F, @ is %40',
        ],
      }),
    );
  });

  test('an http: address never goes through one', () => {
    const why = 'loopback http: URLs never use a proxy';
    expect(routeTo(new URL('http://127.0.0.1:8080'), { HTTPS_PROXY: PROXY })).toBe(why);
  });
});
