import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Buffers that may pile up before the young ones among them are collected. */
const PILE_BYTES = 16 * 1024 * 1024
/** How often is looked. A look costs 2 µs. */
const LOOK_EVERY_MS = 20

type CollectYoung = (options: { readonly type: 'minor' }) => void

/**
 * Keeps the buffers that bodies pass through from piling up, at little cost.
 *
 * Bytes are read into fresh buffers of 64 KiB, which are garbage as soon as they are written. By default V8 collects the
 * whole heap each time some 64 MB of them have come: with bodies of 100 KiB 13 µs a request, and as much again on other
 * threads. Told to weigh buffers together with the heap it seldom collects them at all, and a hundred large downloads
 * that begin together cost 150 MB. So it is told that, and the young generation, which is where those buffers die, is
 * collected as they pile up: 4 µs a request.
 *
 * One thread does that. Several of them, on a machine with few cores, now and then begin to keep what is under way and
 * never stop: buffers then grow old, and the whole heap is collected every 100 ms, at two to four times the CPU in all.
 */
export const tuneHeap = (): void => {
  setFlagsFromString('--external-memory-accounted-in-global-limit')
  setFlagsFromString('--no-parallel-scavenge')
  setFlagsFromString('--expose-gc')
  const collectYoung = runInNewContext('gc') as CollectYoung
  let floorBytes = getHeapStatistics().external_memory
  setInterval(() => {
    const bytes = getHeapStatistics().external_memory
    if (bytes - floorBytes >= PILE_BYTES) {
      collectYoung({ type: 'minor' })
      floorBytes = getHeapStatistics().external_memory
    } else if (bytes < floorBytes) floorBytes = bytes
  }, LOOK_EVERY_MS).unref()
}
