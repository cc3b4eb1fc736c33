import type { Connection } from '../../model/exchange/connection.ts'

/** The unique number of a connection, for finding its log lines; assigned at first use. */
export const connectionNumber = (connection: Connection): number => {
  let number = numbers.get(connection)
  if (number === undefined) numbers.set(connection, (number = ++last))
  return number
}

const numbers = new WeakMap<Connection, number>()
let last = 0
