/** Why arguments make no request. The caller gets to read it. */
export class Unsendable extends Error {}
