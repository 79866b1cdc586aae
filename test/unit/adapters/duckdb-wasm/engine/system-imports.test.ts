import { expect, it } from 'vitest';
import { compileEngine } from '../../../../../adapters/duckdb-wasm/engine/artefact.ts';
import { Heap } from '../../../../../adapters/duckdb-wasm/engine/heap.ts';
import { createSystem } from '../../../../../adapters/duckdb-wasm/engine/system.ts';

/** What the engine would ask of a system and is told is not there: sockets, processes, other files, graphics. */
const UNANSWERED = `
__assert_fail __call_sighandler __syscall__newselect __syscall_accept4 __syscall_bind __syscall_chdir
__syscall_chmod __syscall_connect __syscall_dup __syscall_dup3 __syscall_fadvise64 __syscall_fallocate
__syscall_fchdir __syscall_fchmod __syscall_fchmodat2 __syscall_fchown32 __syscall_fchownat
__syscall_fdatasync __syscall_fstatfs64 __syscall_ftruncate64 __syscall_getdents64 __syscall_getpeername
__syscall_getsockname __syscall_getsockopt __syscall_ioctl __syscall_listen __syscall_mkdirat
__syscall_mknodat __syscall_pipe __syscall_poll __syscall_readlinkat __syscall_recvfrom __syscall_recvmsg
__syscall_renameat __syscall_rmdir __syscall_sendmsg __syscall_sendto __syscall_socket __syscall_statfs64
__syscall_symlink __syscall_symlinkat __syscall_truncate64 __syscall_unlinkat __syscall_utimensat
_dlopen_js _dlsym_js _embind_register_bigint _embind_register_bool _embind_register_emval
_embind_register_float _embind_register_integer _embind_register_memory_view _embind_register_std_string
_embind_register_std_wstring _embind_register_void _emscripten_dlopen_js _emscripten_get_progname
_emscripten_lookup_name _emscripten_runtime_keepalive_clear _emscripten_set_offscreencanvas_size
_emscripten_system _emval_call_method _emval_decref _emval_get_global _emval_get_method_caller
_emval_run_destructors _gmtime_js _localtime_js _mktime_js _mmap_js _msync_js _munmap_js _setitimer_js
_timegm_js _tzset_js duckdb_web_fs_directory_create duckdb_web_fs_directory_exists
duckdb_web_fs_directory_list_files duckdb_web_fs_directory_remove duckdb_web_fs_file_close
duckdb_web_fs_file_drop_file duckdb_web_fs_file_exists duckdb_web_fs_file_move duckdb_web_fs_file_open
duckdb_web_fs_file_read duckdb_web_fs_file_truncate duckdb_web_fs_file_write
duckdb_web_fs_get_default_data_protocol duckdb_web_fs_glob duckdb_web_test_platform_feature
duckdb_web_udf_scalar_call emscripten_get_now_res emscripten_promise_create emscripten_promise_destroy
emscripten_promise_resolve emscripten_wget_data fd_fdstat_get fd_pwrite fd_sync getaddrinfo getnameinfo
pthread_kill strptime
`;

/** The build checks the package by its hash; this says what else a new version asks for, and what it no longer does. */
it('the engine asks of its system what it is known to ask', async () => {
  const { wasm } = await compileEngine();
  const file = { name: 'x', size: () => 0, read: () => 0, close() {} };
  const system = createSystem(new Heap(new WebAssembly.Memory({ initial: 1 })), file, 64);
  const asked = WebAssembly.Module.imports(wasm).filter(({ kind }) => kind === 'function');
  const names = asked.map(({ name }) => name);
  expect(names.filter((name) => !(name in system)).sort()).toEqual(UNANSWERED.trim().split(/\s+/).sort());
  const unasked = Object.keys(system).filter((name) => !names.includes(name));
  expect(unasked).toEqual([]);
});
