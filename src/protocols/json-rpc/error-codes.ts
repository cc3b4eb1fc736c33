/** The text is not JSON. */
export const PARSE_ERROR = -32700
/** The JSON is not a JSON-RPC message. */
export const INVALID_REQUEST = -32600
/** There is no such method, or not here. */
export const METHOD_NOT_FOUND = -32601
/** The method cannot be called with these parameters. */
export const INVALID_PARAMS = -32602
/** The other side failed. */
export const INTERNAL_ERROR = -32603
