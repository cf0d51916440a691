/*
 * The bound for copies over a socket: sendfile on one side, read and pwrite on the other, a thread
 * for each connection.
 *
 *   peer send FILE                                    prints "ready PORT PID"
 *   peer receive PORT FILE BYTES CONNECTIONS CRC      prints "ready PID", then for each line on
 *                                                     standard input copies once: "done NANOS 0"
 *
 * CRC 1 computes the CRC32C of each MiB as it comes, by SSE4.2, three streams at once: the three
 * are put together by a table for the effect of so many zeros on a checksum.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nmmintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 256 << 10, CHUNK = 1 << 20, LANE = 4096 };

static uint32_t zeros[4][256];

static void die(const char *what) {
  perror(what);
  exit(1);
}

/* A checksum is a vector over GF(2), and a zero byte a linear map of it. */
static uint32_t after_zeros(uint32_t crc, size_t bytes) {
  while (bytes-- > 0) crc = _mm_crc32_u8(crc, 0);
  return crc;
}

static void make_tables(void) {
  for (int byte = 0; byte < 4; byte++)
    for (uint32_t value = 0; value < 256; value++)
      zeros[byte][value] = after_zeros(value << (8 * byte), LANE);
}

static uint32_t past_lane(uint32_t crc) {
  return zeros[0][crc & 255] ^ zeros[1][crc >> 8 & 255] ^ zeros[2][crc >> 16 & 255] ^
         zeros[3][crc >> 24];
}

static uint32_t crc32c(uint32_t crc, const unsigned char *data, size_t length) {
  uint64_t a = crc;
  while (length >= 3 * LANE) {
    uint64_t b = 0, c = 0;
    for (size_t i = 0; i < LANE; i += 8) {
      uint64_t x, y, z;
      memcpy(&x, data + i, 8);
      memcpy(&y, data + LANE + i, 8);
      memcpy(&z, data + 2 * LANE + i, 8);
      a = _mm_crc32_u64(a, x);
      b = _mm_crc32_u64(b, y);
      c = _mm_crc32_u64(c, z);
    }
    a = past_lane((uint32_t)a) ^ b;
    a = past_lane((uint32_t)a) ^ c;
    data += 3 * LANE;
    length -= 3 * LANE;
  }
  for (; length >= 8; data += 8, length -= 8) {
    uint64_t x;
    memcpy(&x, data, 8);
    a = _mm_crc32_u64(a, x);
  }
  for (; length > 0; data++, length--) a = _mm_crc32_u8((uint32_t)a, *data);
  return (uint32_t)a;
}

static int source;

static void *serve(void *argument) {
  int peer = (int)(intptr_t)argument;
  uint64_t range[2];
  while (recv(peer, range, sizeof range, MSG_WAITALL) == sizeof range) {
    off_t offset = (off_t)range[0];
    uint64_t left = range[1];
    while (left > 0) {
      ssize_t sent = sendfile(peer, source, &offset, left > 1 << 30 ? 1 << 30 : left);
      if (sent <= 0) {
        close(peer);
        return NULL;
      }
      left -= (uint64_t)sent;
    }
  }
  close(peer);
  return NULL;
}

static void send_file(const char *file) {
  source = open(file, O_RDONLY);
  if (source < 0) die(file);
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 64) != 0)
    die("listen");
  getsockname(listener, (struct sockaddr *)&address, &length);
  printf("ready %d %d\n", ntohs(address.sin_port), (int)getpid());
  fflush(stdout);
  for (;;) {
    int peer = accept(listener, NULL, NULL);
    if (peer < 0) die("accept");
    pthread_t thread;
    pthread_create(&thread, NULL, serve, (void *)(intptr_t)peer);
    pthread_detach(thread);
  }
}

struct part {
  int port, target, crc;
  uint64_t offset, length;
  uint32_t sum;
};

static void *receive_part(void *argument) {
  struct part *part = argument;
  int peer = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)part->port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (connect(peer, (struct sockaddr *)&address, sizeof address) != 0) die("connect");
  uint64_t range[2] = {part->offset, part->length};
  if (send(peer, range, sizeof range, 0) != sizeof range) die("send");
  unsigned char *buffer = aligned_alloc(4096, BUFFER);
  uint64_t done = 0;
  uint32_t crc = ~0u;
  while (done < part->length) {
    ssize_t count = read(peer, buffer, BUFFER);
    if (count <= 0) die("read");
    for (ssize_t at = 0; part->crc && at < count;) {
      size_t to_end = CHUNK - (done + (uint64_t)at) % CHUNK;
      size_t bytes = to_end < (size_t)(count - at) ? to_end : (size_t)(count - at);
      crc = crc32c(crc, buffer + at, bytes);
      at += (ssize_t)bytes;
      if (bytes == to_end) {
        part->sum ^= ~crc;
        crc = ~0u;
      }
    }
    for (ssize_t at = 0; at < count;) {
      ssize_t written =
          pwrite(part->target, buffer + at, (size_t)(count - at), (off_t)(part->offset + done) + at);
      if (written <= 0) die("pwrite");
      at += written;
    }
    done += (uint64_t)count;
  }
  free(buffer);
  close(peer);
  return NULL;
}

static uint64_t nanos(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void receive_file(char **a) {
  int port = atoi(a[2]), connections = atoi(a[5]), crc = atoi(a[6]);
  uint64_t bytes = strtoull(a[4], NULL, 10);
  make_tables();
  printf("ready %d\n", (int)getpid());
  fflush(stdout);
  char line[64];
  while (fgets(line, sizeof line, stdin)) {
    unlink(a[3]);
    uint64_t start = nanos();
    int target = open(a[3], O_CREAT | O_WRONLY | O_TRUNC, 0600);
    if (target < 0) die(a[3]);
    struct part *parts = calloc((size_t)connections, sizeof *parts);
    pthread_t *threads = calloc((size_t)connections, sizeof *threads);
    uint64_t share = (bytes / (uint64_t)connections + CHUNK - 1) / CHUNK * CHUNK;
    for (int i = 0; i < connections; i++) {
      uint64_t offset = share * (uint64_t)i < bytes ? share * (uint64_t)i : bytes;
      uint64_t left = bytes - offset;
      parts[i] = (struct part){port, target, crc, offset, left < share ? left : share, 0};
      pthread_create(&threads[i], NULL, receive_part, &parts[i]);
    }
    for (int i = 0; i < connections; i++) pthread_join(threads[i], NULL);
    fsync(target);
    close(target);
    printf("done %llu 0\n", (unsigned long long)(nanos() - start));
    fflush(stdout);
    free(parts);
    free(threads);
  }
}

int main(int count, char **arguments) {
  if (count == 3 && !strcmp(arguments[1], "send")) send_file(arguments[2]);
  if (count == 7 && !strcmp(arguments[1], "receive")) {
    receive_file(arguments);
    return 0;
  }
  fprintf(stderr, "usage: peer send FILE | peer receive PORT FILE BYTES CONNECTIONS CRC\n");
  return 2;
}
