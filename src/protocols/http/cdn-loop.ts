/** The identifier of this gateway in CDN-Loop. It is that of all gateways of this kind, so that loops through several are found. */
const ID = 'agentgateway'

/**
 * The CDN-Loop field (RFC 8586 §2) of a forwarded request: the received one, with this gateway appended.
 *
 * @param received Repeated fields joined by commas; undefined if there is none.
 */
export const appendHop = (received: string | undefined): string =>
  received === undefined ? ID : `${received}, ${ID}`

/**
 * How many gateways of this kind a request has passed by its CDN-Loop field. Parameters of an element are ignored. A
 * quoted comma may count too much, never too little.
 */
export const countHops = (field: string): number => {
  if (field === ID) return 1
  let hops = 0
  for (const element of field.split(',')) {
    const [id = ''] = element.split(';', 1)
    if (id.trim().toLowerCase() === ID) hops++
  }
  return hops
}

/**
 * Whether a request may be repeated or copied. One that has passed two gateways of this kind already may be in a loop,
 * in which every copy would be copied again.
 *
 * @param field CDN-Loop with this gateway; undefined if nothing counts.
 */
export const mayMultiply = (field: string | undefined): boolean =>
  field === undefined || field === ID || countHops(field) <= 2
