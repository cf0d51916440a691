package dev.weir.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.pressure.Pressure;
import dev.weir.memory.view.BudgetView;
import java.util.List;
import org.junit.jupiter.api.Test;

class BudgetRatesTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long START = Long.MAX_VALUE - 3 * SECOND;

  private static final int ROOT = 0;
  private static final int CHILD = 1;

  private final BudgetRates rates = new BudgetRates();

  private static BudgetView budget(int number, long allocatedBytes, BudgetView... children) {
    return new BudgetView(
        number, "name", 0, 0, 0, 0, 0, allocatedBytes, Pressure.NONE, List.of(children), 0, 0);
  }

  private void look(double second, long root, long child) {
    rates.look(budget(ROOT, root, budget(CHILD, child)), START + (long) (second * SECOND));
  }

  @Test
  void ratesAreOverTheLastSeconds() {
    for (int second = 0; second <= 20; second++) {
      look(second, 1_000L * second, 500L * second);
    }
    assertThat(rates.perSecond(budget(ROOT, 20_000))).isEqualTo(1_000);
    assertThat(rates.perSecond(budget(CHILD, 10_000))).isEqualTo(500);
    look(21, 20_000, 10_000);
    look(30, 20_000, 10_000);
    assertThat(rates.perSecond(budget(ROOT, 20_000))).isZero();
  }

  @Test
  void atFirstAndAfterAPauseNothingIsKnown() {
    look(0, 0, 0);
    assertThat(rates.perSecond(budget(ROOT, 0))).isNull();
    look(5, 100, 100);
    assertThat(rates.perSecond(budget(ROOT, 100))).isEqualTo(20);
    look(500, 900, 900);
    assertThat(rates.perSecond(budget(ROOT, 900))).isNull();
  }

  @Test
  void aBudgetThatIsNewOrBeginsAnewIsNotKnown() {
    look(0, 10, 10);
    look(5, 100, 5);
    assertThat(rates.perSecond(budget(2, 100))).isNull();
    assertThat(rates.perSecond(budget(CHILD, 5))).isNull();
  }

  @Test
  void budgetsOfOneNameHaveTheirOwnRates() {
    for (int second = 0; second <= 10; second += 5) {
      BudgetView quick = budget(1, 200L * second);
      BudgetView slow = budget(2, 10L * second);
      rates.look(budget(ROOT, 0, quick, slow), START + second * SECOND);
    }
    assertThat(rates.perSecond(budget(1, 2_000))).isEqualTo(200);
    assertThat(rates.perSecond(budget(2, 100))).isEqualTo(10);
  }
}
