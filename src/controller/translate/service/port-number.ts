/** Whether something is the number of a port. Ports by name are texts, and old objects may have others. */
export const isPort = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 65_535

/** The transport of a port of a Service; undefined for those that proxies do not speak, such as SCTP. */
export const transportOf = ({
  protocol = 'TCP',
}: {
  readonly protocol?: string
}): 'tcp' | 'udp' | undefined => (protocol === 'TCP' ? 'tcp' : protocol === 'UDP' ? 'udp' : undefined)
