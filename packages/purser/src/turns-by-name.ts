/** Runs work that has a name after the earlier work of the same name has ended, however it ended. */
export type InTurn = <Value>(name: string, work: () => Promise<Value>) => Promise<Value>;

/** A row of its own for each name; one without work is not kept. */
export function turnsByName(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const before = last.get(name);
    const own = before === undefined ? work() : before.then(work, work);
    last.set(name, own);
    try {
      return await own;
    } finally {
      if (last.get(name) === own) last.delete(name);
    }
  };
}
