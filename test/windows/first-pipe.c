/*
 * Gives Wine's CreateNamedPipeW the documented meaning of FILE_FLAG_FIRST_PIPE_INSTANCE, which Wine up to 10.17
 * ignores: ERROR_ACCESS_DENIED if the pipe is there already. Loaded into Node by `process.dlopen`, it replaces the
 * function in the program's import table.
 */
#include <wchar.h>
#include <windows.h>

typedef HANDLE(WINAPI *create_pipe)(LPCWSTR, DWORD, DWORD, DWORD, DWORD, DWORD, DWORD, LPSECURITY_ATTRIBUTES);
static create_pipe real;

static HANDLE WINAPI create_first_pipe(LPCWSTR name, DWORD open_mode, DWORD pipe_mode, DWORD instances, DWORD out,
                                       DWORD in, DWORD timeout, LPSECURITY_ATTRIBUTES security) {
  if (!(open_mode & FILE_FLAG_FIRST_PIPE_INSTANCE))
    return real(name, open_mode, pipe_mode, instances, out, in, timeout, security);
  HANDLE mutex = CreateMutexW(NULL, FALSE, L"first-pipe-instance");
  WaitForSingleObject(mutex, INFINITE);
  HANDLE pipe = INVALID_HANDLE_VALUE;
  DWORD error = ERROR_ACCESS_DENIED;
  if (!WaitNamedPipeW(name, 1) && GetLastError() == ERROR_FILE_NOT_FOUND) {
    pipe = real(name, open_mode, pipe_mode, instances, out, in, timeout, security);
    error = GetLastError();
  }
  ReleaseMutex(mutex);
  CloseHandle(mutex);
  SetLastError(error);
  return pipe;
}

BOOL WINAPI DllMain(HINSTANCE self, DWORD why, LPVOID reserved) {
  if (why != DLL_PROCESS_ATTACH) return TRUE;
  HMODULE pinned;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, (LPCWSTR)(void *)DllMain,
                     &pinned);
  real = (create_pipe)GetProcAddress(GetModuleHandleA("kernel32.dll"), "CreateNamedPipeW");
  BYTE *base = (BYTE *)GetModuleHandleA(NULL);
  IMAGE_NT_HEADERS *headers = (void *)(base + ((IMAGE_DOS_HEADER *)base)->e_lfanew);
  DWORD imports = headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT].VirtualAddress;
  for (IMAGE_IMPORT_DESCRIPTOR *dll = (void *)(base + imports); dll->Name; dll++) {
    for (ULONG_PTR *slot = (void *)(base + dll->FirstThunk); *slot; slot++) {
      if (*slot != (ULONG_PTR)real) continue;
      DWORD before;
      VirtualProtect(slot, sizeof *slot, PAGE_READWRITE, &before);
      *slot = (ULONG_PTR)create_first_pipe;
      VirtualProtect(slot, sizeof *slot, before, &before);
    }
  }
  return TRUE;
}
