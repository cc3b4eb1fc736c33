import { createRequire } from 'node:module'
import type { ProfileFrame, ProfileStack, StackProfile } from './stack-profile.ts'

/** Allocations of this size are sampled once, on average. */
const INTERVAL_BYTES = 512 * 1024

/** Samples of the allocations of this process that are still in use. */
export interface HeapSampling {
  /** The samples so far. Takes some milliseconds at most, whatever the size of the heap. */
  read(): StackProfile
  /** Ends sampling and discards the samples. */
  stop(): void
}

/**
 * Starts sampling allocations: one of each 512 KiB on average. Use it once in a process, before it allocates much.
 *
 * V8's inspector could do the same, but collects the whole heap before it shows the samples.
 *
 * @returns Undefined on systems other than Linux, and where the optional package is not installed or cannot be loaded.
 */
export const startHeapSampling = (platform: string = process.platform): HeapSampling | undefined => {
  const profiler = platform === 'linux' ? loadProfiler() : undefined
  if (!profiler) return undefined
  const beganAtMs = Date.now()
  profiler.startSamplingHeapProfiler(INTERVAL_BYTES, MAX_DEPTH)
  const read = (): StackProfile => {
    const tree = profiler.mapAllocationProfile(readTree)
    return { ...emptyHeapProfile, beganAtMs, durationMs: Date.now() - beganAtMs, ...tree }
  }
  // The first call is the slowest, and there is no traffic yet.
  read()
  return { read, stop: () => profiler.stopSamplingHeapProfiler() }
}

/** The heap profile of a process that does not sample. */
export const emptyHeapProfile: StackProfile = {
  valueTypes: [
    ['inuse_objects', 'count'],
    ['inuse_space', 'bytes'],
  ],
  period: { type: ['space', 'bytes'], value: INTERVAL_BYTES },
  beganAtMs: 0,
  durationMs: 0,
  frames: [],
  stacks: [],
  comments: [],
}

/** Maximum depth of stacks. */
const MAX_DEPTH = 32
/** Maximum number of frames that are read: each takes about a microsecond, in which there is no traffic. */
const MAX_FRAMES = 2_500

type Profiler = typeof import('@datadog/pprof/out/src/heap-profiler-bindings.js')
type AllocationNode = ReturnType<Profiler['getAllocationProfile']>

const loadProfiler = (): Profiler | undefined => {
  try {
    // This part alone: the package loads another eleven modules with the rest.
    return createRequire(import.meta.url)('@datadog/pprof/out/src/heap-profiler-bindings.js') as Profiler
  } catch {
    return undefined
  }
}

/**
 * Turns the tree of V8 into stacks. Its nodes are valid only during the call, and each access to one costs. Of a tree
 * that is too large, the rest is left out, and a comment in the profile reports it.
 */
const readTree = (root: AllocationNode): Pick<StackProfile, 'frames' | 'stacks' | 'comments'> => {
  const frames: ProfileFrame[] = []
  const stacks: ProfileStack[] = []
  const visit = (node: AllocationNode, callers: readonly number[]): void => {
    if (frames.length >= MAX_FRAMES) return
    const { name = '', scriptName, lineNumber = 0, columnNumber = 0 } = node
    const frame = { name, script: scriptName, line: lineNumber, column: columnNumber, startLine: lineNumber }
    const path = [frames.push(frame) - 1, ...callers]
    const values = valuesOf(node)
    if (values[0] > 0) stacks.push({ frames: path, values })
    for (const child of node.children) visit(child, path)
  }
  for (const child of root.children) visit(child, [])
  const isComplete = frames.length < MAX_FRAMES
  return { frames, stacks, comments: isComplete ? [] : ['incomplete: there are too many stacks'] }
}

const valuesOf = ({ allocations }: AllocationNode): [objects: number, bytes: number] => {
  let objects = 0
  let bytes = 0
  for (const allocation of allocations) {
    if (!('count' in allocation)) continue
    objects += allocation.count
    bytes += allocation.count * allocation.sizeBytes
  }
  return [objects, bytes]
}
