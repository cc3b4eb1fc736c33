/** `agentgateway-cpu-20260102-030405.pb.gz`, in local time. */
export const profileFileName = (kind: 'cpu' | 'heap', time: Date): string => {
  const date = [time.getFullYear(), time.getMonth() + 1, time.getDate()].map(twoDigits).join('')
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join('')
  return `agentgateway-${kind}-${date}-${clock}.pb.gz`
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')
