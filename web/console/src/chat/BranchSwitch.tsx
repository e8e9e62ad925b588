import { ChevronLeft, ChevronRight } from "lucide-react";
import { useLocation } from "wouter";
import { Button } from "../ui/Button.js";
import styles from "./BranchSwitch.module.css";
import type { QuestionBranches } from "./branches.js";

/** Switch between the versions of a question, each of which begins a branch. */
export function BranchSwitch({ branches }: { branches: QuestionBranches }) {
  const [, navigate] = useLocation();
  const { threadIds, current } = branches;
  const show = (offset: number) => {
    const target = threadIds[current + offset];
    if (target !== undefined) navigate(`/threads/${encodeURIComponent(target)}`);
  };
  return (
    <div className={styles.switch}>
      <Button
        kind="icon"
        aria-label="Previous branch"
        disabled={current === 0}
        onClick={() => show(-1)}
      >
        <ChevronLeft size={18} />
      </Button>
      <span>
        Branch {current + 1} of {threadIds.length}
      </span>
      <Button
        kind="icon"
        aria-label="Next branch"
        disabled={current === threadIds.length - 1}
        onClick={() => show(1)}
      >
        <ChevronRight size={18} />
      </Button>
    </div>
  );
}
