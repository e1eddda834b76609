/** Times of leader election, in milliseconds. */
interface LeaseTimes {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** For a Lease of so many seconds: the leader gives up before it ends, after several tries; who follows looks as often. */
export function leaseTimes(seconds: number): LeaseTimes {
  return {
    leaseDurationMs: seconds * 1000,
    renewDeadlineMs: (seconds * 2000) / 3,
    retryPeriodMs: (seconds * 1000) / 6,
  };
}
