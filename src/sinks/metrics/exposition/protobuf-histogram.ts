import { type BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import type { Exemplar, HistogramReport, NativeReport } from '../report/metrics-report.ts'
import { NATIVE_ZERO_THRESHOLD } from '../series/native-buckets.ts'

/** Writes the fields of a message `io.prometheus.client.Histogram`. */
export const writeHistogram = (
  writer: BinaryWriter,
  { count, sum, bounds, counts, exemplars, native }: HistogramReport,
): void => {
  writer.tag(1, WireType.Varint).uint64(count)
  writer.tag(2, WireType.Bit64).double(sum)
  let cumulative = 0
  for (const [i, one] of counts.entries()) {
    cumulative += one
    // Without classic buckets, there is only the one of an exemplar.
    if (bounds.length === 0 && !exemplars?.[i]) continue
    writer.tag(3, WireType.LengthDelimited).fork()
    writer.tag(1, WireType.Varint).uint64(cumulative)
    writer.tag(2, WireType.Bit64).double(bounds[i] ?? Infinity)
    writeExemplar(writer, exemplars?.[i])
    writer.join()
  }
  if (native) writeNative(writer, native)
}

const writeExemplar = (writer: BinaryWriter, exemplar: Exemplar | undefined): void => {
  if (!exemplar) return
  const { traceId, value, atSeconds } = exemplar
  writer.tag(3, WireType.LengthDelimited).fork()
  writer.tag(1, WireType.LengthDelimited).fork()
  writer.tag(1, WireType.LengthDelimited).string('trace_id')
  writer.tag(2, WireType.LengthDelimited).string(traceId).join()
  writer.tag(2, WireType.Bit64).double(value)
  const seconds = Math.floor(atSeconds)
  writer.tag(3, WireType.LengthDelimited).fork()
  writer.tag(1, WireType.Varint).int64(seconds)
  writer
    .tag(2, WireType.Varint)
    .int32(Math.round((atSeconds - seconds) * 1000) * 1_000_000)
    .join()
  writer.join()
}

const writeNative = (writer: BinaryWriter, { schema, zeroCount, buckets }: NativeReport): void => {
  writer.tag(5, WireType.Varint).sint32(schema)
  writer.tag(6, WireType.Bit64).double(NATIVE_ZERO_THRESHOLD)
  writer.tag(7, WireType.Varint).uint64(zeroCount)
  for (const { offset, length } of spansOf(buckets)) {
    writer.tag(12, WireType.LengthDelimited).fork()
    writer.tag(1, WireType.Varint).sint32(offset)
    writer.tag(2, WireType.Varint).uint32(length).join()
  }
  let before = 0
  for (const [, count] of buckets) {
    writer.tag(13, WireType.Varint).sint64(count - before)
    before = count
  }
}

/** Runs of neighbouring buckets; the offset counts from the end of the run before, at first from bucket 0. */
const spansOf = (buckets: NativeReport['buckets']): readonly { offset: number; length: number }[] => {
  const spans: { offset: number; length: number }[] = []
  let next = 0
  for (const [index] of buckets) {
    const last = spans.at(-1)
    if (last && index === next) last.length++
    else spans.push({ offset: index - next, length: 1 })
    next = index + 1
  }
  return spans
}
