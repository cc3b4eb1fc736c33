import type { Connection } from '../../model/exchange/connection.ts'

/** The number of a connection, by which lines about it are found: given when it is first asked for, and to no other. */
export const connectionNumber = (connection: Connection): number => {
  let number = numbers.get(connection)
  if (number === undefined) numbers.set(connection, (number = ++last))
  return number
}

const numbers = new WeakMap<Connection, number>()
let last = 0
