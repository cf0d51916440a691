package dev.weir.memory.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.testing.EndOfStack;
import org.junit.jupiter.api.Test;

class StackRoomTest {
  private static final int WARM_UPS = 20_000;
  private static final int OVERFLOWS = 100;

  /** Some 600 bytes in the interpreter: what lies between a change and the lock that it takes. */
  private static final int LEVELS_BETWEEN = 6;

  private boolean isRoomForNested;
  private int rooms;
  private int lacks;

  /** Whatever of it is compiled, and was when the look was taken. */
  @Test
  void whoHasRoomForNestedHasRoomForALockFurtherOn() throws InterruptedException {
    EndOfStack.onThread(() -> {
      for (int i = 0; i < WARM_UPS; i++) {
        look();
      }
      rooms = 0;
      for (int i = 0; i < OVERFLOWS; i++) {
        descend();
      }
    });

    assertThat(rooms).isPositive();
    assertThat(lacks).isZero();
  }

  @SuppressWarnings("InfiniteRecursion") // which is what is tested
  private void descend() {
    try {
      descend();
    } catch (StackOverflowError e) {
      // This is the last level, or there was no room at the one below.
      lacks += isRoomForNested ? 1 : 0;
    }
    look();
  }

  private void look() {
    isRoomForNested = false;
    StackRoom.requireForNested();
    isRoomForNested = true;
    requireBelow(LEVELS_BETWEEN);
    isRoomForNested = false;
    rooms++;
  }

  private static void requireBelow(int levels) {
    if (levels == 0) {
      StackRoom.require();
    } else {
      requireBelow(levels - 1);
    }
  }
}
