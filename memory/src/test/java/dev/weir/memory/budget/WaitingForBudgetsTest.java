package dev.weir.memory.budget;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Those who wait are looked at again only where limits have changed that are theirs. */
class WaitingForBudgetsTest {
  private final Budget root = Budget.root("root", () -> 1 << 20, 0, () -> 0);
  private final Budget object = root.child("object", 1_000);
  private final Budget waitedFor = object.child("waited-for", Budget.UNLIMITED);
  private final Budget other = root.child("other", 1_000);

  @Test
  void budgetsForWhichNobodyWaitsMayCloseAndChange() {
    waitedFor.beginWaiting(500);
    long before = root.limitChanges();

    other.setLimitBytes(10);
    other.close();
    object.child("beside", Budget.UNLIMITED).close();

    assertThat(root.limitChanges()).isEqualTo(before);
    waitedFor.endWaiting();
    object.close();
    assertThat(root.limitChanges()).isEqualTo(before);
  }

  @Test
  void whatChangesAboveOneThatWaitsIsSeen() {
    waitedFor.beginWaiting(500);
    long before = root.limitChanges();

    object.setLimitBytes(400);
    assertThat(root.limitChanges()).isEqualTo(before + 1);
    object.close();
    assertThat(root.limitChanges()).isEqualTo(before + 2);
    waitedFor.close();
    assertThat(root.limitChanges()).isEqualTo(before + 3);
    waitedFor.endWaiting();
  }

  /** Whoever is about to wait has looked at the limits before it was counted. */
  @Test
  void whatHasChangedJustBeforeOneWaitsIsSeen() {
    long before = root.limitChanges();
    object.setLimitBytes(400);
    assertThat(root.limitChanges()).isEqualTo(before);

    waitedFor.beginWaiting(400);
    assertThat(root.limitChanges()).isEqualTo(before);
    waitedFor.beginWaiting(401);
    assertThat(root.limitChanges()).isEqualTo(before + 1);
    waitedFor.endWaiting();
    waitedFor.endWaiting();
  }
}
