/** The text is not JSON. */
export const PARSE_ERROR = -32700
/** The JSON is not a JSON-RPC message. */
export const INVALID_REQUEST = -32600
/** The method does not exist, or is not available. */
export const METHOD_NOT_FOUND = -32601
/** The parameters are invalid for the method. */
export const INVALID_PARAMS = -32602
/** An internal error of the receiver. */
export const INTERNAL_ERROR = -32603
