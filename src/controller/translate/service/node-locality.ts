import type * as File from '../../../config/schema/file-types.gen.ts'
import { defineQuery, type Query } from '../../graph/query.ts'

/** Region and zone of a node, by its name; undefined if its labels have neither. */
export const nodeLocality: Query<File.Workload['locality']> = defineQuery('nodeLocality', (reads, node) => {
  const labels = reads.object('Node', node)?.metadata.labels
  const region = labels?.['topology.kubernetes.io/region']
  const zone = labels?.['topology.kubernetes.io/zone']
  if (region === undefined && zone === undefined) return undefined
  return { ...(region === undefined ? {} : { region }), ...(zone === undefined ? {} : { zone }) }
})
