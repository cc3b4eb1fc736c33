/**
 * The reason to stop if the arguments of a call are not a JSON object: this format has them as an object, and Google
 * withholds such a call in the same way.
 */
export const MALFORMED_CALL = 'MALFORMED_FUNCTION_CALL'
