import { describe, expect, it } from "vitest";
import { type BranchQuestions, questionBranches } from "./branches.js";

function thread(threadId: string, createdAt: string, ...questionIds: string[]): BranchQuestions {
  return { threadId, createdAt, questionIds };
}

describe("branches of questions", () => {
  const root = thread("root", "1", "a", "b", "c");
  const edited = thread("edited", "2", "a", "b2", "d");
  const again = thread("again", "3", "a", "b3");
  const first = thread("first", "4", "a2");

  it("part at the question that was edited", () => {
    const branches = questionBranches(root, [edited, again, first]);
    expect([...branches]).toEqual([
      ["b", { threadIds: ["root", "edited", "again"], current: 0 }],
      ["a", { threadIds: ["root", "first"], current: 0 }],
    ]);
  });

  it("are the same from every branch", () => {
    const branches = questionBranches(again, [root, edited, first]);
    expect(branches.get("b3")).toEqual({ threadIds: ["root", "edited", "again"], current: 2 });
    expect(branches.get("a2")).toBeUndefined();
  });

  it("show a question once, although a branch of a branch has it too", () => {
    const deeper = thread("deeper", "5", "a", "b2", "d2");
    expect(questionBranches(root, [edited, deeper]).get("b")).toEqual({
      threadIds: ["root", "edited"],
      current: 0,
    });
    expect(questionBranches(deeper, [root, edited]).get("d2")).toEqual({
      threadIds: ["edited", "deeper"],
      current: 1,
    });
  });

  it("do not part where a thread has only ended earlier", () => {
    expect(questionBranches(root, [thread("short", "2", "a")]).size).toBe(0);
  });
});
