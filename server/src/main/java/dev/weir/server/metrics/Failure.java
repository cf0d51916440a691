package dev.weir.server.metrics;

import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.netty.flow.AdmissionRefusedException;
import dev.weir.netty.refusal.MemoryRefusals;
import dev.weir.netty.write.OutboundClosing;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Why a connection ended before its time. */
public enum Failure {
  /** The client, or the network to it, as a rule; or another client. */
  PEER,
  /** No handshake, or a record that is none. */
  TLS,
  /** The client moved no byte for too long. */
  STALLED,
  /** The pool had no room, or none in time. */
  MEMORY,
  /** A defect of the node. */
  ERROR;

  /** Causes of causes that are looked at: more mean a cycle. */
  private static final int MAX_CAUSES = 16;

  /** What kind of failure an exception stands for. */
  public static Failure of(Throwable thrown) {
    @Nullable Throwable cause = thrown;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      switch (cause) {
        case BudgetExceededError late when late.budget().isClosed() -> {
          return PEER; // Budgets end with their clients: there is nobody to have it.
        }
        case OutOfMemoryError refused when MemoryRefusals.isRefusal(refused) -> {
          return MEMORY;
        }
        case AdmissionRefusedException refused -> {
          return MEMORY;
        }
        case SSLException broken -> {
          return TLS;
        }
        case IOException lost -> {
          return PEER;
        }
        case Http2Exception refused when refused.error() != Http2Error.INTERNAL_ERROR -> {
          return PEER;
        }
        default -> cause = cause.getCause();
      }
    }
    return ERROR;
  }

  /** What it stands for that a connection is closed for what it has queued; null for a write. */
  public static @Nullable Failure of(OutboundClosing closing) {
    return switch (closing.reason()) {
      case SLOW_PEER -> STALLED;
      case CHANNEL_FULL, TOTAL_FULL -> MEMORY;
      // Whoever has written hears of it.
      case WRITE_FAILED -> null;
    };
  }

  /**
   * What it stands for that bytes of a stream could not be read to their end.
   *
   * @param removed whether the stream is gone: another client has deleted it, or its time is over
   */
  public static Failure ofRead(Throwable thrown, boolean removed) {
    return removed && thrown instanceof NoSuchFileException ? PEER : ERROR;
  }

  /**
   * Whether an exception says no more than that a channel has ended: what ended it was counted.
   *
   * @param isOpen whether the channel is open still
   */
  public static boolean isAftermath(Throwable thrown, boolean isOpen) {
    return !isOpen && thrown instanceof ClosedChannelException;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
