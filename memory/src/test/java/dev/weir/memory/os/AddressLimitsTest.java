package dev.weir.memory.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AddressLimitsTest {
  private static final String UNLIMITED =
      """
      Limit                     Soft Limit           Hard Limit           Units
      Max data size             unlimited            unlimited            bytes
      Max address space         unlimited            unlimited            bytes
      Max open files            1024                 1048576              files
      """;
  private static final String LIMITED =
      UNLIMITED.replace(
          "Max address space         unlimited ", "Max address space         8589934592");

  @Test
  void anAddressSpaceLimitIsNamedWithItsSize() {
    List<String> hints = AddressLimits.hints(LIMITED, "0\n");

    assertThat(hints).anyMatch(hint -> hint.contains("8589934592") && hint.contains("ulimit -v"));
    assertThat(hints).noneMatch(hint -> hint.contains("overcommit"));
  }

  @Test
  void strictOvercommitIsNamed() {
    List<String> hints = AddressLimits.hints(UNLIMITED, "2\n");

    assertThat(hints).anyMatch(hint -> hint.contains("vm.overcommit_memory = 2"));
    assertThat(hints).noneMatch(hint -> hint.contains("ulimit"));
  }

  @Test
  void withoutACauseEverythingWorthCheckingIsNamed() {
    assertThat(AddressLimits.hints(UNLIMITED, "0\n"))
        .anyMatch(hint -> hint.contains("ulimit -v") && hint.contains("vm.max_map_count"));
    assertThat(AddressLimits.hints("", ""))
        .as("files that cannot be read")
        .anyMatch(hint -> hint.contains("ulimit -v"));
  }

  @Test
  void loweringTheLimitIsAlwaysAnAnswer() {
    for (String limits : List.of(LIMITED, UNLIMITED, "")) {
      for (String overcommit : List.of("0", "1", "2")) {
        assertThat(AddressLimits.hints(limits, overcommit))
            .last()
            .asString()
            .contains("lower the pool's limit");
      }
    }
  }

  @Test
  void whatIsFreeIsTheLimitWithoutWhatIsMapped() {
    assertThat(AddressLimits.freeBytes(LIMITED, "1000 20 3 4 0 5 0\n", 4096))
        .isEqualTo(8_589_934_592L - 1000 * 4096);
    assertThat(AddressLimits.freeBytes(UNLIMITED, "1000 20 3\n", 4096))
        .isEqualTo((1L << 47) - 1000 * 4096);
    assertThat(AddressLimits.freeBytes(LIMITED, "9999999 20 3\n", 4096)).isZero();
    assertThat(AddressLimits.freeBytes("", "", 4096))
        .as("files that cannot be read")
        .isEqualTo(1L << 47);
    assertThat(
            AddressLimits.freeBytes(
                LIMITED.replace("8589934592", "18446744073709547520"), "0 0\n", 4096))
        .as("a limit beyond all addresses")
        .isEqualTo(1L << 47);
  }

  @Test
  void theErrorNamesTheSizeAndTheReason() {
    assertThat(AddressLimits.failure("mmap", 8192, 12)).hasMessageContaining("mmap: ENOMEM");
    assertThat(AddressLimits.failure("mmap", 777, 22).getMessage())
        .contains("777 bytes")
        .contains("errno 22");
  }
}
