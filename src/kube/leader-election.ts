export interface LeaderElectionOptions {
  readonly namespace: string;
  /** Of the Lease. */
  readonly name: string;
  /** Who we are; unique per process. Default: host name and a random uuid. */
  readonly identity: string;
  /** How long others wait before they take an unrenewed lease. Default 15000. */
  readonly leaseDurationMs?: number;
  /** How long the leader tries to renew before it stops. Default 10000; must be less than the lease duration. */
  readonly renewDeadlineMs?: number;
  /** Between two tries, plus up to a fifth of jitter. Default 2000. */
  readonly retryPeriodMs?: number;
}
