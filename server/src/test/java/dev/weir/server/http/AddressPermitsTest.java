package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressPermitsTest {
  private static final int LIMIT = 3;

  /** Against a count of each address. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void noAddressHasMoreThanTheLimit(long seed) throws Exception {
    Random random = new Random(seed);
    AddressPermits permits = new AddressPermits(LIMIT);
    Map<InetAddress, Integer> open = new HashMap<>();
    for (int i = 0; i < 2_000; i++) {
      InetAddress address = InetAddress.ofLiteral("192.0.2." + random.nextInt(5));
      int count = open.getOrDefault(address, 0);
      if (random.nextBoolean()) {
        assertThat(permits.tryTake(address)).as("seed %d", seed).isEqualTo(count < LIMIT);
        open.put(address, Math.min(LIMIT, count + 1));
      } else if (count > 0) {
        permits.giveBack(address);
        open.put(address, count - 1);
      }
      long addresses = open.values().stream().filter(of -> of > 0).count();
      assertThat(permits.addresses()).as("seed %d", seed).isEqualTo((int) addresses);
    }
  }

  @Test
  void loopbackIsNotLimitedNorIsAnybodyWithoutALimit() throws Exception {
    AddressPermits limited = new AddressPermits(1);
    AddressPermits unlimited = new AddressPermits(0);
    for (int i = 0; i < 10; i++) {
      assertThat(limited.tryTake(InetAddress.ofLiteral("127.0.0.1"))).isTrue();
      assertThat(limited.tryTake(InetAddress.ofLiteral("::1"))).isTrue();
      assertThat(unlimited.tryTake(InetAddress.ofLiteral("192.0.2.1"))).isTrue();
    }
    assertThat(limited.addresses()).isZero();
    assertThat(unlimited.addresses()).isZero();
  }
}
