import { SvcError } from '../../../src/errors.ts';
import type { CFunctionName } from './c-api.ts';
import { CALLBACKS, type Callback, type CallbackKind, FILE_READS } from './callbacks.ts';
import type { DatabaseFile } from './database-file.ts';
import type { System } from './file-system.ts';
import { Heap, toCString } from './heap.ts';
import { DATA, MEMORY, STACK, TABLE_SLOTS } from './memory.ts';
import { createSystem, UNSUPPORTED } from './system.ts';
import { Waiting } from './waiting.ts';

/** A function of the engine. */
export type EngineFunction = (...args: number[]) => number;

/** The functions of the C API. A 64-bit integer travels as two 32-bit halves, low then high. */
export type CFunctions = { readonly [name in CFunctionName]: EngineFunction };

/** The parts and limits of an instance. */
export interface InstanceOptions {
  readonly wasm: WebAssembly.Module;
  readonly trampolines: WebAssembly.Module;
  readonly file: DatabaseFile;
  /** The most memory that the engine can take, in MiB. */
  readonly memoryMb: number;
}

/** One instantiated engine: its functions, its memory, and a way to register callbacks. */
export interface Instance {
  readonly call: CFunctions;
  /** All functions that the build kept, by name. */
  readonly exported: ReadonlyMap<string, EngineFunction>;
  readonly heap: Heap;
  /** Suspends the engine while bytes of its file are fetched; null for a file that is at hand. */
  readonly waiting: Waiting | null;
  /** The address of 64 bytes for results that a function writes through a pointer. The next call may overwrite them. */
  readonly scratch: number;
  /** Returns the address of a JavaScript function in the engine's table. */
  addCallback<Kind extends CallbackKind>(kind: Kind, callback: Callback[Kind]): number;
  /** Gives a function of the engine an address, which C++ takes as a pointer to it. */
  addressOf(callee: EngineFunction): number;
  /** Gives all these addresses away again. Nothing may call them any more. */
  releaseCallbacks(): void;
  /** Calls a function of the engine by its address. */
  callAddress(address: number, ...args: number[]): number;
  /** Allocates memory of the engine, which the caller frees; throws `memory_exceeded`. */
  allocate(bytes: number): number;
  /** Copies text into the engine's memory for the time of the call. */
  withText<T>(text: string, use: (at: number, length: number) => T): T;
}

const SCRATCH_BYTES = 64;

/** Instantiates the engine. It is a dynamic library, so we provide its memory, table and base addresses. */
export async function createInstance(options: InstanceOptions): Promise<Instance> {
  const memory = new WebAssembly.Memory({
    initial: MEMORY.initialPages,
    maximum: options.memoryMb * MEMORY.pagesPerMb,
  });
  const table = new WebAssembly.Table({ initial: TABLE_SLOTS, element: 'anyfunc' });
  const heap = new Heap(memory);
  const waiting = options.file.want === undefined ? null : new Waiting();
  const calls = createSystem(heap, options.file, options.memoryMb, waiting?.onMissing);
  const shims = waiting?.suspending(calls, (parts) => shimsOf(options.trampolines, parts));
  const system = { ...calls, ...shims };
  const imports = createImports(options.wasm, { memory, table, system });
  const { exports } = await WebAssembly.instantiate(options.wasm, imports);
  const call = exports as unknown as CFunctions;
  call.__wasm_apply_data_relocs();
  call.__wasm_call_ctors();
  waiting?.bind(call);
  const allocate = (bytes: number): number => allocateIn(call, bytes);
  return {
    call,
    exported: new Map(Object.entries(exports as unknown as CFunctions)),
    heap,
    waiting,
    allocate,
    scratch: allocate(SCRATCH_BYTES),
    ...tableCalls(table, options.trampolines),
    withText(text, use) {
      const bytes = toCString(text);
      const at = allocate(bytes.length);
      try {
        heap.bytes.set(bytes, at);
        return use(at, bytes.length - 1);
      } finally {
        call.free(at);
      }
    },
  };
}

interface Parts {
  readonly memory: WebAssembly.Memory;
  readonly table: WebAssembly.Table;
  readonly system: System;
}

function createImports(wasm: WebAssembly.Module, parts: Parts): WebAssembly.Imports {
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module, name, kind } of WebAssembly.Module.imports(wasm)) {
    imports[module] = { ...imports[module], [name]: importOf(module, name, kind, parts) };
  }
  return imports;
}

function importOf(
  module: string,
  name: string,
  kind: WebAssembly.ImportExportKind | 'tag',
  { memory, table, system }: Parts,
): WebAssembly.ImportValue {
  if (kind === 'function') return system[name] ?? UNSUPPORTED;
  if (kind === 'memory') return memory;
  if (kind === 'table') return table;
  if (kind === 'tag') return createTag();
  // Only graphics and sound functions, which the linker includes, are imported by address. None is ever called.
  if (module === 'GOT.func') return new WebAssembly.Global({ value: 'i32', mutable: true }, 0);
  return new WebAssembly.Global({ value: 'i32', mutable: !FIXED.has(name) }, ADDRESSES[name] ?? 0);
}

const FIXED = new Set(['__memory_base', '__table_base']);

const ADDRESSES: { readonly [name: string]: number } = {
  __memory_base: DATA.start,
  __table_base: 1,
  __stack_pointer: STACK.high,
  __stack_high: STACK.high,
  __stack_low: STACK.low,
  __heap_base: STACK.high,
};

type TagConstructor = new (type: { parameters: readonly string[] }) => WebAssembly.ImportValue;

/** Creates the tag of C++ exceptions, whose payload is the address of the exception object. */
function createTag(): WebAssembly.ImportValue {
  const { Tag } = WebAssembly as unknown as { readonly Tag: TagConstructor };
  return new Tag({ parameters: ['i32'] });
}

/** Calls by address: the engine's table holds every function that has one, and can grow. */
function tableCalls(
  table: WebAssembly.Table,
  trampolines: WebAssembly.Module,
): Pick<Instance, 'addCallback' | 'addressOf' | 'releaseCallbacks' | 'callAddress'> {
  const used: number[] = [];
  const free: number[] = [];
  const add = (callee: unknown): number => {
    const slot = free.pop() ?? table.grow(1);
    table.set(slot, callee);
    used.push(slot);
    return slot;
  };
  return {
    addCallback(kind, callback) {
      return add(new WebAssembly.Instance(trampolines, { e: { ...UNUSED, [kind]: callback } }).exports[kind]);
    },
    addressOf: add,
    releaseCallbacks: () => void free.push(...used.splice(0)),
    callAddress: (address, ...args) => table.get(address)(...args),
  };
}

/** Imports of the trampolines that one use of them does not need. */
const UNUSED = Object.fromEntries(
  [...Object.keys(CALLBACKS), ...Object.keys(FILE_READS).flatMap((name) => [name, `wait_${name}`])].map(
    (name) => [name, UNSUPPORTED],
  ),
);

/** The shims of file reads that wait (`FILE_READS`). */
function shimsOf(trampolines: WebAssembly.Module, parts: WebAssembly.ModuleImports): System {
  const { exports } = new WebAssembly.Instance(trampolines, { e: { ...UNUSED, ...parts } });
  return Object.fromEntries(
    Object.keys(FILE_READS).map((name) => [name, (exports as unknown as System)[name] ?? UNSUPPORTED]),
  );
}

function allocateIn(call: CFunctions, bytes: number): number {
  const at = call.malloc(bytes);
  if (at !== 0) return at;
  throw new SvcError('memory_exceeded', `The engine has no memory left for ${bytes} bytes.`);
}
