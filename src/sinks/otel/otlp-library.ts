/** The encoders of OpenTelemetry's SDK, by themselves: they are loaded with the first batch. */
export { ProtobufLogsSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
