// The Debian packages that tests use. `npm run test:setup` installs them, and needs.ts checks for them.
import { existsSync, readFileSync } from 'node:fs';

const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
/** KWallet's daemon and ciphers, which use Qt 6 since Debian 13 and Ubuntu 25. @type {Record<string, string>} */
export const KWALLET = /^VERSION_ID="?(1[3-9]|2[5-9])/m.test(release)
  ? { kwallet6: '/usr/bin/kwalletd6', 'libqca-qt6-plugins': '/usr/share/doc/libqca-qt6-plugins/copyright' }
  : {
      'libkf5wallet-bin': '/usr/bin/kwalletd5',
      'libqca-qt5-2-plugins': '/usr/share/doc/libqca-qt5-2-plugins/copyright',
    };

/** Each package with a program or file that shows that it is installed. @satisfies {Record<string, string>} */
export const DEBIAN = {
  'gnome-keyring': '/usr/bin/gnome-keyring-daemon',
  'dbus-daemon': '/usr/bin/dbus-daemon',
  'dbus-bin': '/usr/bin/dbus-send',
  'libsecret-tools': '/usr/bin/secret-tool',
  binutils: '/usr/bin/strip',
  openssl: '/usr/bin/openssl',
  keepassxc: '/usr/bin/keepassxc',
  ...KWALLET,
  xvfb: '/usr/bin/Xvfb',
  xdotool: '/usr/bin/xdotool',
  python3: '/usr/bin/python3',
  dash: '/usr/bin/dash',
  bash: '/usr/bin/bash',
  zsh: '/usr/bin/zsh',
  'ksh93u+m': '/usr/bin/ksh93',
  mksh: '/usr/bin/mksh',
  busybox: '/usr/bin/busybox',
  fish: '/usr/bin/fish',
  procps: '/usr/bin/ps',
  mandoc: '/usr/bin/mandoc',
  curl: '/usr/bin/curl',
  httpie: '/usr/bin/http',
  jq: '/usr/bin/jq',
  make: '/usr/bin/make',
  direnv: '/usr/bin/direnv',
  git: '/usr/bin/git',
  'gcc-mingw-w64-x86-64-win32': '/usr/bin/x86_64-w64-mingw32-gcc-win32',
  strace: '/usr/bin/strace',
  squid: '/usr/sbin/squid',
};
