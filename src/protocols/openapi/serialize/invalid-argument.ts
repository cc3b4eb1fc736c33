/** Why arguments cannot be serialised. The message is for the caller. */
export class InvalidArgument extends Error {}
