import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'

/** The memory of V8, in bytes. Reading it takes microseconds and collects nothing. */
export interface V8Memory {
  /** Beyond this the process ends. */
  readonly heapLimitBytes: number
  readonly heapTotalBytes: number
  readonly heapUsedBytes: number
  readonly heapPhysicalBytes: number
  /** Allocated by V8 outside of the heap. */
  readonly mallocedBytes: number
  readonly peakMallocedBytes: number
  /** Outside of the heap, owned by objects in it; array buffers included. */
  readonly externalBytes: number
  readonly arrayBuffersBytes: number
  readonly nativeContexts: number
  /** More than 0 is a leak. */
  readonly detachedContexts: number
  readonly spaces: readonly HeapSpace[]
}

/** A part of the heap. */
export interface HeapSpace {
  readonly name: string
  readonly sizeBytes: number
  readonly usedBytes: number
  readonly availableBytes: number
  readonly physicalBytes: number
}

/** The memory of V8 now. */
export const v8Memory = (): V8Memory => {
  const heap = getHeapStatistics()
  const { arrayBuffers } = process.memoryUsage()
  return {
    heapLimitBytes: heap.heap_size_limit,
    heapTotalBytes: heap.total_heap_size,
    heapUsedBytes: heap.used_heap_size,
    heapPhysicalBytes: heap.total_physical_size,
    mallocedBytes: heap.malloced_memory,
    peakMallocedBytes: heap.peak_malloced_memory,
    externalBytes: heap.external_memory,
    arrayBuffersBytes: arrayBuffers,
    nativeContexts: heap.number_of_native_contexts,
    detachedContexts: heap.number_of_detached_contexts,
    spaces: getHeapSpaceStatistics().map((space) => ({
      name: space.space_name,
      sizeBytes: space.space_size,
      usedBytes: space.space_used_size,
      availableBytes: space.space_available_size,
      physicalBytes: space.physical_space_size,
    })),
  }
}
