import { describe, expect, test } from 'vitest';
import { proxyFor } from '../../../src/system/wire/proxy';
import { refusal } from '../../settings/refusal';

const PROXY = 'http://proxy.test:3128';
const isProxied = (address: string, noProxy: string): boolean =>
  proxyFor(new URL(address), { HTTPS_PROXY: PROXY, NO_PROXY: noProxy }) !== undefined;

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
    ['::1', 'https://[::1]'],
    ['[::1]', 'https://[::1]:8443'],
    ['[::1]:443', 'https://[::1]'],
  ])('%j covers %s', (list, address) => {
    expect(isProxied(address, list)).toBe(false);
  });

  test.each([
    ['', 'https://id.example.com'],
    ['.', 'https://id.example.com'],
    ['example.com', 'https://notexample.com'],
    ['example.com:8443', 'https://example.com'],
    ['example', 'https://example.com'],
  ])('%j does not cover %s', (list, address) => {
    expect(isProxied(address, list)).toBe(true);
  });
});

describe('HTTPS_PROXY', () => {
  const found = (env: Record<string, string>) => proxyFor(new URL('https://id.example.com'), env);

  test.each([
    ['http://proxy.test', 'proxy.test:80', 'http://proxy.test/'],
    ['https://proxy.test', 'proxy.test:443', 'https://proxy.test/'],
    ['proxy.test:3128', 'proxy.test:3128', 'http://proxy.test:3128/'],
    ['HTTP://u:p@proxy.test:3128/path', 'proxy.test:3128', 'http://u:p@proxy.test:3128/path'],
    ['http://[::1]:3128', '[::1]:3128', 'http://[::1]:3128/'],
    ['u:p@proxy.test:3128', 'proxy.test:3128', 'http://u:p@proxy.test:3128/'],
  ])('%s means the proxy %s', (value, name, href) => {
    const proxy = found({ HTTPS_PROXY: value });
    const label = `the proxy ${name} (from HTTPS_PROXY)`;
    expect({ ...proxy, url: proxy?.url.href }).toEqual({ url: href, source: 'HTTPS_PROXY', label });
  });

  test('has precedence in lower case and counts as unset if empty', () => {
    const both = { HTTPS_PROXY: 'b.test:2', https_proxy: 'a.test:1' };
    expect(found(both)).toMatchObject({ source: 'https_proxy' });
    expect(found({ ...both, https_proxy: '' })).toMatchObject({ source: 'HTTPS_PROXY' });
    for (const none of [{ HTTPS_PROXY: '' }, { ALL_PROXY: PROXY, HTTP_PROXY: PROXY }])
      expect(found(none)).toBeUndefined();
    const lists = { HTTPS_PROXY: PROXY, no_proxy: 'example.com', NO_PROXY: 'other.test' };
    expect(found(lists)).toBeUndefined();
    expect(found({ ...lists, no_proxy: '' })).toMatchObject({ source: 'HTTPS_PROXY' });
  });

  test.each([
    'socks5://u:canary@proxy.test',
    'http://u:canary@',
    '://canary',
    '"http://canary:3128"',
    "'canary:3128'",
    '$(canary)',
    'http://u:canary/1@proxy.test',
    'u?:canary@proxy.test',
    'https://u:canary\\@proxy.test',
    'http://canary:12/1\n2@proxy.test',
    'http://u:canary100%@proxy.test',
  ])('%j is rejected without being shown', (value) => {
    expect(refusal(() => found({ HTTPS_PROXY: value }))).toEqual({
      message: 'HTTPS_PROXY is not the URL of an HTTP proxy',
      hints: [
        'example: HTTPS_PROXY=http://USER:PASSWORD@proxy.example.com:3128',
        'in a password / is %2F, @ is %40',
      ],
    });
  });

  test('is not used for an http: URL', () => {
    expect(proxyFor(new URL('http://127.0.0.1:8080'), { HTTPS_PROXY: PROXY })).toBeUndefined();
  });
});
