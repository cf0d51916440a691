package dev.weir.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.pressure.Pressure;
import dev.weir.memory.view.BudgetView;
import java.util.List;
import org.junit.jupiter.api.Test;

class BudgetRatesTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long START = Long.MAX_VALUE - 3 * SECOND;

  private final BudgetRates rates = new BudgetRates();

  private static BudgetView budget(String name, long allocatedBytes, BudgetView... children) {
    return new BudgetView(name, 0, 0, 0, 0, allocatedBytes, Pressure.NONE, List.of(children), 0, 0);
  }

  private void look(double second, long root, long child) {
    rates.look(budget("pool", root, budget("a", child)), START + (long) (second * SECOND));
  }

  @Test
  void ratesAreOverTheLastSeconds() {
    for (int second = 0; second <= 20; second++) {
      look(second, 1_000L * second, 500L * second);
    }
    assertThat(rates.perSecond("pool", 20_000)).isEqualTo(1_000);
    assertThat(rates.perSecond("pool/a", 10_000)).isEqualTo(500);
    look(21, 20_000, 10_000);
    look(30, 20_000, 10_000);
    assertThat(rates.perSecond("pool", 20_000)).isZero();
  }

  @Test
  void atFirstAndAfterAPauseNothingIsKnown() {
    look(0, 0, 0);
    assertThat(rates.perSecond("pool", 0)).isNull();
    look(5, 100, 100);
    assertThat(rates.perSecond("pool", 100)).isEqualTo(20);
    look(500, 900, 900);
    assertThat(rates.perSecond("pool", 900)).isNull();
  }

  @Test
  void aBudgetThatIsNewOrBeginsAnewIsNotKnown() {
    look(0, 10, 10);
    look(5, 100, 5);
    assertThat(rates.perSecond("pool/b", 100)).isNull();
    assertThat(rates.perSecond("pool/a", 5)).isNull();
  }
}
