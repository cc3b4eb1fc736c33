import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { isHistogram, isValue } from '../report/merge-reports.ts'
import type { FamilyPart, SeriesReport, SummaryReport } from '../report/metrics-report.ts'
import { labelPairs } from './label-text.ts'
import { writeHistogram } from './protobuf-histogram.ts'

/**
 * A report as messages `io.prometheus.client.MetricFamily`, each preceded by its length. A family is written in one
 * message, hence in one piece; in between there are empty pieces, where the caller may pause.
 */
export function* metricsProtobuf(report: Iterable<FamilyPart>): Generator<Uint8Array> {
  let family: FamilyPart | undefined
  let metrics: Uint8Array[] = []
  for (const part of report) {
    if (family && part.name !== family.name) {
      yield* familyMessage(family, metrics)
      metrics = []
    }
    family = part
    for (const series of part.series) {
      metrics.push(metricField(part.type, series))
      yield none
    }
  }
  if (family) yield* familyMessage(family, metrics)
}

const none = new Uint8Array(0)

/** Prometheus refuses a family without metrics. */
function* familyMessage(family: FamilyPart, metrics: readonly Uint8Array[]): Generator<Uint8Array> {
  if (metrics.length === 0) return
  const head = new BinaryWriter()
  head.tag(1, WireType.LengthDelimited).string(family.name + (suffixes.get(family.type) ?? ''))
  head.tag(2, WireType.LengthDelimited).string(family.help)
  head.tag(3, WireType.Varint).int32(types[family.type])
  const described = head.finish()
  const length = metrics.reduce((sum, { length: one }) => sum + one, described.length)
  yield new BinaryWriter().uint32(length).finish()
  yield described
  yield* metrics
}

const suffixes: ReadonlyMap<FamilyPart['type'], string> = new Map([
  ['counter', '_total'],
  ['info', '_info'],
])

/** Values of `MetricType`. */
const types = { counter: 0, gauge: 1, summary: 2, unknown: 3, info: 1, histogram: 4 } as const

/** Numbers of the fields of `Metric`. */
const fields = { counter: 3, gauge: 2, info: 2, summary: 4, unknown: 5, histogram: 7 } as const

const metricField = (type: FamilyPart['type'], series: SeriesReport): Uint8Array => {
  const writer = new BinaryWriter().tag(4, WireType.LengthDelimited).fork()
  for (const [name, value] of labelPairs(series.labels)) {
    writer.tag(1, WireType.LengthDelimited).fork()
    writer.tag(1, WireType.LengthDelimited).string(name)
    writer.tag(2, WireType.LengthDelimited).string(value).join()
  }
  writer.tag(fields[type], WireType.LengthDelimited).fork()
  if (isValue(series)) writer.tag(1, WireType.Bit64).double(series.value)
  else if (isHistogram(series)) writeHistogram(writer, series)
  else writeSummary(writer, series)
  return writer.join().join().finish()
}

const writeSummary = (writer: BinaryWriter, { count, sum, quantiles }: SummaryReport): void => {
  writer.tag(1, WireType.Varint).uint64(count)
  writer.tag(2, WireType.Bit64).double(sum)
  for (const [quantile, value] of quantiles) {
    writer.tag(3, WireType.LengthDelimited).fork()
    writer.tag(1, WireType.Bit64).double(quantile)
    writer.tag(2, WireType.Bit64).double(value).join()
  }
}
