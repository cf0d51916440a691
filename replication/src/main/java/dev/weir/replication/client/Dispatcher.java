package dev.weir.replication.client;

import dev.weir.replication.client.Exchange.Ending;
import dev.weir.replication.transfer.Patience;
import dev.weir.replication.transfer.Progress;
import dev.weir.replication.transfer.TransferException;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives jobs to connections until there are none left. One thread runs it; connections tell it of
 * what happens by a queue.
 */
public final class Dispatcher {
  private static final long TICK_MILLIS = 200;
  private static final int BUSY = 503;

  /** One exchange with one server. Called on the dispatcher's thread. */
  public interface Job {
    /** The server. */
    Peer peer();

    /** The exchange, which tells {@code onEnd} of its end. */
    Exchange begin(Consumer<Ending> onEnd);

    /**
     * Hears of the end, also where no connection came about. A server that has too much to do, 503,
     * is a lost connection.
     */
    void ended(Ending ending) throws IOException;
  }

  /** Where jobs come from. Called on the dispatcher's thread. */
  public interface Jobs {
    /** The next one; null when there is none, or none before another has ended. */
    @Nullable Job next() throws IOException, InterruptedException;

    /** Runs a few times a second. */
    void tick() throws IOException;

    /**
     * A server has failed too often.
     *
     * @throws TransferException the failure, where no other server is left
     */
    void unreachable(Peer peer, TransferException failure) throws TransferException;
  }

  /** Something that a connection tells, dealt with on the dispatcher's thread. */
  private interface Event {
    void handle() throws IOException;
  }

  private final Client client;
  private final int mostConnections;
  private final Progress progress;
  private final Jobs jobs;

  /** Bounded by the connections: each has one thing to tell at a time. */
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

  private final Set<Peer> peers = new LinkedHashSet<>();
  private @Nullable Job held;
  private int busy;

  /** Has not begun. */
  public Dispatcher(Client client, int mostConnections, Progress progress, Jobs jobs) {
    this.client = client;
    this.mostConnections = mostConnections;
    this.progress = progress;
    this.jobs = jobs;
  }

  /** Runs until there is no job left, and none under way. */
  public void run() throws IOException, InterruptedException {
    try {
      while (assign() || busy > 0) {
        Event event = events.poll(TICK_MILLIS, TimeUnit.MILLISECONDS);
        while (event != null) {
          event.handle();
          event = events.poll();
        }
        jobs.tick();
      }
    } finally {
      peers.forEach(Peer::closeIdle);
    }
  }

  /** Begins what can be begun, and says whether something waits for a later time. */
  private boolean assign() throws IOException, InterruptedException {
    while (busy < mostConnections) {
      Job job = held == null ? jobs.next() : held;
      held = null;
      if (job == null) {
        return false;
      }
      Peer peer = job.peer();
      if (peer.isPaused()) {
        held = job;
        return true;
      }
      peers.add(peer);
      busy++;
      Connection connection = peer.nextIdle();
      if (connection != null) {
        begin(connection, job);
      } else {
        client.connect(peer, (fresh, failure) -> events.add(() -> connected(fresh, failure, job)));
      }
    }
    return false;
  }

  private void connected(Connection connection, @Nullable Throwable failure, Job job)
      throws IOException {
    if (failure == null) {
      begin(connection, job);
    } else {
      ended(connection, job, new Ending.Lost(failure));
    }
  }

  private void begin(Connection connection, Job job) {
    connection.begin(job.begin(ending -> events.add(() -> ended(connection, job, ending))));
  }

  private void ended(Connection connection, Job job, Ending ending) throws IOException {
    busy--;
    if (ending instanceof Ending.Whole || ending instanceof Ending.Other) {
      job.peer().keep(connection);
    }
    Ending told =
        ending instanceof Ending.Other other && other.status() == BUSY
            ? new Ending.Lost(new IOException(other.text()))
            : ending;
    job.ended(told);
    if (told instanceof Ending.Lost lost) {
      progress.lostConnection(Patience.reason(lost.cause()));
      try {
        job.peer().failed(lost.cause(), progress.verifiedBytes());
      } catch (TransferException e) {
        jobs.unreachable(job.peer(), e);
      }
    }
  }
}
