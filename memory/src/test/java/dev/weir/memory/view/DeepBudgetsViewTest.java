package dev.weir.memory.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.PoolSnapshot;
import dev.weir.memory.budget.Budget;
import org.junit.jupiter.api.Test;

/** Trees that are both wide and deep: what is shown of them is bounded, and adds up. */
class DeepBudgetsViewTest {
  private static final int WIDE = 40;

  private static int shown(BudgetView view) {
    return 1 + view.children().stream().mapToInt(DeepBudgetsViewTest::shown).sum();
  }

  /** Of those below it, and of those that are not shown. */
  private static long leafBytes(BudgetView view) {
    return view.children().isEmpty()
        ? view.chargedBytes()
        : view.otherBytes()
            + view.children().stream().mapToLong(DeepBudgetsViewTest::leafBytes).sum();
  }

  @Test
  void aWideAndDeepTreeIsBoundedInAll() {
    try (Pool pool = Pool.create(PoolOptions.withLimit(8 << 20))) {
      Budget top = pool.rootBudget().child("top", Budget.UNLIMITED);
      for (int i = 0; i < WIDE; i++) {
        Budget object = top.child("object " + i, Budget.UNLIMITED);
        for (int j = 0; j < WIDE; j++) {
          assertThat(object.child("channel " + j, Budget.UNLIMITED).tryCharge(1 + i)).isTrue();
        }
      }

      BudgetView view = BudgetView.ofRoot(pool.rootBudget(), top.chargedBytes(), 0);
      PoolSnapshot snapshot = pool.snapshot();

      assertThat(shown(view)).isEqualTo(BudgetView.MAX_BUDGETS);
      BudgetView factory = view.children().getFirst();
      assertThat(factory.children()).hasSize(BudgetView.MAX_CHILDREN);
      assertThat(factory.children().getFirst().name()).isEqualTo("object 39");
      assertThat(factory.children().getLast().otherChildren()).isEqualTo(WIDE);
      assertThat(leafBytes(factory)).isEqualTo(top.chargedBytes());
      assertThat(snapshot.budgets()).hasSize(BudgetView.MAX_BUDGETS);
    }
  }

  @Test
  void aDeepTreeIsShownToItsEighthLevel() {
    try (Pool pool = Pool.create(PoolOptions.withLimit(8 << 20))) {
      Budget deepest = pool.rootBudget();
      for (int i = 0; i < 3 * BudgetView.MAX_DEPTH; i++) {
        deepest = deepest.child("d", Budget.UNLIMITED);
      }
      assertThat(deepest.tryCharge(100)).isTrue();

      PoolSnapshot snapshot = pool.snapshot();

      assertThat(snapshot.budgets()).hasSize(1 + BudgetView.MAX_DEPTH);
      assertThat(snapshot.budgets().getLast().path()).endsWith("/d/d/d/d/d/d/d/d");
      assertThat(snapshot.budgets().getLast().otherBytes()).isEqualTo(100);
    }
  }
}
