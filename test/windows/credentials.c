/*
 * The Credential Manager, read and written by another hand than keytar's.
 *
 *   credentials.exe          each generic credential as a line: target, user and value, parted by tabs, in hexadecimal
 *   credentials.exe T U V    stores a generic credential by hand: target, user and value in hexadecimal
 */
#include <stdio.h>
#include <string.h>
#include <windows.h>
#include <wincred.h>

static void print_hex(const void *bytes, size_t length) {
  for (size_t index = 0; index < length; index++) printf("%02x", ((const unsigned char *)bytes)[index]);
}

/* The text's UTF-16 bytes. */
static void print_text(LPCWSTR text) { print_hex(text, text == NULL ? 0 : wcslen(text) * sizeof *text); }

static int list(void) {
  DWORD count = 0;
  PCREDENTIALW *found = NULL;
  if (!CredEnumerateW(NULL, 0, &count, &found)) return GetLastError() == ERROR_NOT_FOUND ? 0 : 1;
  for (DWORD index = 0; index < count; index++) {
    if (found[index]->Type != CRED_TYPE_GENERIC) continue;
    print_text(found[index]->TargetName);
    printf("\t");
    print_text(found[index]->UserName);
    printf("\t");
    print_hex(found[index]->CredentialBlob, found[index]->CredentialBlobSize);
    printf("\n");
  }
  CredFree(found);
  return 0;
}

static size_t from_hex(const char *hex, BYTE *bytes, size_t limit) {
  size_t length = 0;
  for (; length < limit && hex[0] && hex[1]; hex += 2) sscanf(hex, "%2hhx", &bytes[length++]);
  return length;
}

static int store(char **words) {
  static WCHAR target[512], user[512];
  static BYTE value[4096];
  from_hex(words[0], (BYTE *)target, sizeof target - sizeof *target);
  from_hex(words[1], (BYTE *)user, sizeof user - sizeof *user);
  CREDENTIALW credential = {.Type = CRED_TYPE_GENERIC,
                            .TargetName = target,
                            .UserName = user,
                            .CredentialBlob = value,
                            .CredentialBlobSize = from_hex(words[2], value, sizeof value),
                            .Persist = CRED_PERSIST_LOCAL_MACHINE};
  return CredWriteW(&credential, 0) ? 0 : 1;
}

int main(int count, char **words) { return count == 4 ? store(words + 1) : list(); }
