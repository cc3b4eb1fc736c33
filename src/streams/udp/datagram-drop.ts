/** Why datagrams are dropped: a label of the metric, and a field of the log. */
export type DatagramDropReason =
  | 'max_sessions'
  | 'open_files'
  | 'authorization'
  | 'loop'
  | 'route_not_found'
  | 'no_backend'
  | 'draining'
  | 'pending_full'
  | 'send_queue_full'
  | 'send_failed'

/** The labels of the port, and of its listener if there is one. */
export interface DropLabels {
  readonly bind: string
  readonly gateway: string | undefined
  readonly listener: string | undefined
}
