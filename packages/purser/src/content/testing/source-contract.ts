import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Clock } from "@purser/kubernetes/clock";
import type { ContentState } from "../../catalog/content.ts";
import type { StoredIndex } from "../../catalog-store/open.ts";
import { FollowedContent } from "../followed-content.ts";
import type { SourceReader } from "../source-reader.ts";

/** A source of catalogs with the means to change what it holds. */
export interface SourceUnderTest {
  readonly reader: SourceReader<StoredIndex>;
  readonly clock: Clock;
  /** Makes it hold package `a` with these versions in one channel. */
  hold(versions: readonly string[]): Promise<void>;
  /** Makes its content no valid catalog. */
  spoil(): Promise<void>;
  /** Removes it: no directory, no server, no image. */
  remove(): Promise<void>;
}

const never = new AbortController().signal;

/** What every source of catalogs has to do behind the content port; each kind of source runs these tests. */
export function sourceContract(kind: string, open: (context: TestContext) => Promise<SourceUnderTest>): void {
  const contract = (claim: string, check: (source: SourceUnderTest, seen: Followed) => Promise<void>): void => {
    test(`${kind}: ${claim}`, async (context) => {
      const source = await open(context);
      const followed = new Followed(source);
      context.after(() => followed.close());
      await check(source, followed);
    });
  };

  contract("content is pending before the first look and ready with its index after it", async (source, seen) => {
    await source.hold(["1.0.0"]);
    assert.deepEqual([seen.state.kind, seen.head()], ["pending", undefined]);
    await seen.look();
    assert.deepEqual([seen.state.kind, seen.head()], ["ready", "a.v1.0.0"]);
  });

  contract("a source that did not change gives no notice and keeps its open index", async (source, seen) => {
    await source.hold(["1.0.0"]);
    await seen.look();
    const index = seen.index();
    await seen.look();
    assert.deepEqual([seen.notices, seen.index() === index], [1, true]);
  });

  contract("the same content written anew has the same digest and gives no notice", async (source, seen) => {
    await source.hold(["1.0.0"]);
    await seen.look();
    await source.hold(["1.0.0"]);
    await seen.look();
    assert.deepEqual([seen.state.kind, seen.notices], ["ready", 1]);
  });

  contract("changed content becomes ready, and who still reads the former one is answered", async (source, seen) => {
    await source.hold(["1.0.0"]);
    await seen.look();
    const former = seen.index();
    await source.hold(["1.0.0", "1.1.0"]);
    await seen.look();
    assert.deepEqual([seen.state.kind, seen.notices, seen.head()], ["ready", 2, "a.v1.1.0"]);
    assert.equal(former?.package("a")?.channels[0]?.head, "a.v1.0.0");
  });

  for (const [damage, act] of [
    ["broken", (source: SourceUnderTest) => source.spoil()],
    ["missing", (source: SourceUnderTest) => source.remove()],
  ] as const) {
    contract(`a ${damage} source is failing with cause and remedy and has no content`, async (source, seen) => {
      await act(source);
      await seen.look();
      const { state } = seen;
      assert.ok(state.kind === "failing" && state.cause !== "" && state.remedy !== "");
      assert.deepEqual([state.lastGood, seen.index()], [undefined, undefined]);
    });

    contract(
      `the last good content outlives a ${damage} source, and the repaired one is ready`,
      async (source, seen) => {
        await source.hold(["1.0.0"]);
        await seen.look();
        const good = seen.state;
        await act(source);
        await seen.look();
        assert.ok(good.kind === "ready" && seen.state.kind === "failing");
        assert.deepEqual([seen.state.lastGood, seen.head()], [good.digest, "a.v1.0.0"]);
        await seen.look();
        assert.equal(seen.notices, 2, "a failure that lasts is one notice");
        await source.hold(["1.0.0"]);
        await seen.look();
        assert.deepEqual(seen.state, good);
      },
    );
  }

  contract("a look ends when its signal aborts", async (source, seen) => {
    await source.hold(["1.0.0"]);
    await assert.rejects(seen.followed.look(AbortSignal.abort(new Error("stopped"))), /stopped/);
  });
}

class Followed {
  readonly followed: FollowedContent<StoredIndex>;
  notices = 0;

  constructor({ reader, clock }: SourceUnderTest) {
    this.followed = new FollowedContent<StoredIndex>({
      reader: { ok: true, value: reader },
      clock,
      digestOf: ({ digest }) => digest,
      release: (index) => index.close(),
      keepsLastGood: true,
      onChange: () => this.notices++,
    });
  }

  get state(): ContentState {
    return this.followed.state;
  }

  look(): Promise<void> {
    return this.followed.look(never);
  }

  index(): StoredIndex | undefined {
    return this.followed.content;
  }

  head(): string | undefined {
    return this.index()?.package("a")?.channels[0]?.head;
  }

  close(): void {
    this.followed.close();
  }
}
