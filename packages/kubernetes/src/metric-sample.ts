export type Labels = Readonly<Record<string, string>>;

/** The value of one series of a metric. */
export interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}
