/** A refused message head. Reply with `status` and close the connection. */
export interface HeadRefusal {
  /** The reason: a stable code for logs, traces and metrics. */
  readonly refused: HeadRefusalCode
  /** 417 for an unsupported expectation, 400 for everything else. An upstream's response becomes a 502. */
  readonly status: 400 | 417
  /** One sentence for an operator. Contains nothing of the message. */
  readonly message: string
}

/** Every reason for a refusal. */
export type HeadRefusalCode = keyof typeof messages

const messages = {
  unsupported_http_version: 'the protocol version must be HTTP/1.0, HTTP/1.1 or HTTP/2',
  unsupported_method: 'the method is not one of HTTP',
  malformed_status: 'the status must be a number from 100 to 599',
  malformed_field_name: 'a field name contains a character that is not allowed there',
  malformed_field_value: 'a field value contains a control character',
  ambiguous_framing: 'send either one Content-Length or Transfer-Encoding, not both and not twice',
  malformed_content_length: 'Content-Length must be a decimal number without sign or leading zeros',
  content_length_mismatch: 'Content-Length does not fit the message, which ends with its head',
  unsupported_transfer_encoding: 'Transfer-Encoding must be exactly "chunked"',
  transfer_encoding_in_http_1_0: 'HTTP/1.0 has no Transfer-Encoding',
  body_not_allowed: 'a CONNECT request has no body',
  missing_host: 'a request must name its host',
  several_hosts: 'a request must name its host once',
  malformed_host: 'the host must be a name or address and an optional port from 1 to 65535',
  host_mismatch: 'the request target and the host field name different hosts',
  malformed_connection: 'Connection must be a list of tokens',
  connection_names_protected_field: 'Connection lists a field that is meant for the final recipient',
  connection_specific_field: 'HTTP/2 allows no connection-specific fields',
  unsupported_expectation: 'the only expectation is "100-continue"',
  malformed_trailer: 'Trailer must be a list of field names',
  forbidden_trailer: 'a trailer may not frame, route, authenticate or describe the message',
  malformed_pseudo_header: 'a pseudo-header field is missing, repeated, misplaced, unknown or malformed',
  malformed_target: 'the request target must be a path, or an http or https URL',
  target_form_not_allowed: 'this form of request target does not belong to this method',
  target_fragment: 'a request target has no fragment',
  target_control_character: 'the request target contains a space or a control character',
  target_malformed_escape: 'a percent sign in the path must be followed by two hexadecimal digits',
  target_overlong_escape: 'the path contains an overlong UTF-8 sequence',
  target_encoded_slash:
    'the path contains a backslash, or a percent-encoded slash or backslash, which is refused unless encodedSlashes is keep',
  target_ambiguous_dot_segment: 'the path contains a dot segment that only some servers would recognise',
} as const

/** The refusals, created once: a refusal costs no allocation. */
export const headRefusals: Readonly<Record<HeadRefusalCode, HeadRefusal>> = Object.freeze(
  Object.fromEntries(
    Object.entries(messages).map(([refused, message]) => [
      refused,
      Object.freeze({ refused, status: refused === 'unsupported_expectation' ? 417 : 400, message }),
    ]),
  ) as Record<HeadRefusalCode, HeadRefusal>,
)
