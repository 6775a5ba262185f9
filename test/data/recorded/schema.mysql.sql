-- The museum: tables and rows of the recorded cases
SET NAMES utf8mb4;
SET time_zone = '+00:00';
SET FOREIGN_KEY_CHECKS = 0;
DROP TABLE IF EXISTS `visits`;
DROP TABLE IF EXISTS `museum`;
DROP TABLE IF EXISTS `exhibition_blocks`;
DROP TABLE IF EXISTS `block_quotes`;
DROP TABLE IF EXISTS `block_texts`;
DROP TABLE IF EXISTS `exhibitions_works`;
DROP TABLE IF EXISTS `exhibitions`;
DROP TABLE IF EXISTS `works_themes`;
DROP TABLE IF EXISTS `themes`;
DROP TABLE IF EXISTS `works`;
DROP TABLE IF EXISTS `galleries`;
DROP TABLE IF EXISTS `artists`;
CREATE TABLE `artists` (
  `id` INT AUTO_INCREMENT PRIMARY KEY,
  `name` VARCHAR(80) NOT NULL,
  `slug` VARCHAR(60),
  `born` DATE,
  `died` DATE,
  `active` BOOLEAN NOT NULL DEFAULT 1,
  `rating` DOUBLE,
  `followers` BIGINT NOT NULL DEFAULT 0,
  `biography` TEXT,
  `phone` VARCHAR(30),
  UNIQUE KEY `artists_slug_unique` (`slug`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
CREATE TABLE `galleries` (
  `id` CHAR(36) PRIMARY KEY,
  `name` VARCHAR(60) NOT NULL,
  `floor` INT NOT NULL DEFAULT 0,
  `opens` TIME,
  `closes` TIME,
  `capacity` INT
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
CREATE TABLE `works` (
  `id` INT AUTO_INCREMENT PRIMARY KEY,
  `title` VARCHAR(120) NOT NULL,
  `inventory_no` VARCHAR(20),
  `status` VARCHAR(16) NOT NULL DEFAULT 'draft',
  `artist` INT,
  `gallery` CHAR(36),
  `position` INT,
  `owner` CHAR(36),
  `year` INT,
  `height` DOUBLE,
  `price` DECIMAL(20,6),
  `serial` BIGINT,
  `on_display` BOOLEAN NOT NULL DEFAULT 0,
  `acquired` DATE,
  `viewing` TIME,
  `photographed` DATETIME,
  `checked` TIMESTAMP NULL DEFAULT NULL,
  `details` JSON,
  `labels` TEXT,
  `description` TEXT,
  UNIQUE KEY `works_inventory_no_unique` (`inventory_no`),
  CONSTRAINT `works_artist_foreign` FOREIGN KEY (`artist`) REFERENCES `artists` (`id`) ON DELETE SET NULL,
  CONSTRAINT `works_gallery_foreign` FOREIGN KEY (`gallery`) REFERENCES `galleries` (`id`) ON DELETE SET NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
CREATE TABLE `themes` (
  `id` INT AUTO_INCREMENT PRIMARY KEY,
  `name` VARCHAR(40) NOT NULL,
  `parent` INT,
  `sort` INT,
  UNIQUE KEY `themes_name_unique` (`name`),
  CONSTRAINT `themes_parent_foreign` FOREIGN KEY (`parent`) REFERENCES `themes` (`id`) ON DELETE SET NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
CREATE TABLE `works_themes` (
  `id` INT AUTO_INCREMENT PRIMARY KEY,
  `work_id` INT,
  `theme_id` INT,
  `weight` INT DEFAULT 1,
  CONSTRAINT `works_themes_work_id_foreign` FOREIGN KEY (`work_id`) REFERENCES `works` (`id`) ON DELETE SET NULL,
  CONSTRAINT `works_themes_theme_id_foreign` FOREIGN KEY (`theme_id`) REFERENCES `themes` (`id`) ON DELETE SET NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
CREATE TABLE `exhibitions` (
  `code` VARCHAR(20) PRIMARY KEY,
  `title` VARCHAR(100) NOT NULL,
  `starts` DATE,
  `ends` DATE,
  `budget` DECIMAL(20,6),
  `is_open` BOOLEAN DEFAULT 1,
  `created_by` CHAR(36),
  `created_at` TIMESTAMP NULL DEFAULT NULL,
  `changed_at` TIMESTAMP NULL DEFAULT NULL,
  `press_code` VARCHAR(255)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
CREATE TABLE `exhibitions_works` (
  `id` INT AUTO_INCREMENT PRIMARY KEY,
  `exhibition` VARCHAR(20),
  `work` INT,
  `position` INT,
  `caption` VARCHAR(100),
  CONSTRAINT `exhibitions_works_exhibition_foreign` FOREIGN KEY (`exhibition`) REFERENCES `exhibitions` (`code`) ON DELETE CASCADE,
  CONSTRAINT `exhibitions_works_work_foreign` FOREIGN KEY (`work`) REFERENCES `works` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
CREATE TABLE `block_texts` (
  `id` INT AUTO_INCREMENT PRIMARY KEY,
  `heading` VARCHAR(80) NOT NULL,
  `body` TEXT
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
CREATE TABLE `block_quotes` (
  `id` CHAR(36) PRIMARY KEY,
  `quote` TEXT NOT NULL,
  `source` VARCHAR(80)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
CREATE TABLE `exhibition_blocks` (
  `id` INT AUTO_INCREMENT PRIMARY KEY,
  `exhibition` VARCHAR(20),
  `collection` VARCHAR(64),
  `item` VARCHAR(64),
  `sort` INT,
  CONSTRAINT `exhibition_blocks_exhibition_foreign` FOREIGN KEY (`exhibition`) REFERENCES `exhibitions` (`code`) ON DELETE SET NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
CREATE TABLE `museum` (
  `id` INT AUTO_INCREMENT PRIMARY KEY,
  `name` VARCHAR(80) NOT NULL DEFAULT 'Unnamed',
  `opened` DATE,
  `contact` JSON,
  `visitors` BIGINT DEFAULT 0
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
CREATE TABLE `visits` (
  `id` INT AUTO_INCREMENT PRIMARY KEY,
  `visitor` VARCHAR(40) NOT NULL,
  `exhibition` VARCHAR(20),
  `score` INT,
  `seen` DATETIME,
  `guided` BOOLEAN,
  CONSTRAINT `visits_exhibition_foreign` FOREIGN KEY (`exhibition`) REFERENCES `exhibitions` (`code`) ON DELETE SET NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
-- data: from here to the end restores the rows and the key counters, and can be run alone
SET NAMES utf8mb4;
SET time_zone = '+00:00';
SET FOREIGN_KEY_CHECKS = 0;
DELETE FROM `visits`;
DELETE FROM `museum`;
DELETE FROM `exhibition_blocks`;
DELETE FROM `block_quotes`;
DELETE FROM `block_texts`;
DELETE FROM `exhibitions_works`;
DELETE FROM `exhibitions`;
DELETE FROM `works_themes`;
DELETE FROM `themes`;
DELETE FROM `works`;
DELETE FROM `galleries`;
DELETE FROM `artists`;
INSERT INTO `artists` (`id`, `name`, `slug`, `born`, `died`, `active`, `rating`, `followers`, `biography`, `phone`) VALUES
  (1, 'Ilka Brandt', 'ilka-brandt', '1871-03-14', '1940-11-02', 1, 4.5, 9007199254740993, 'Painted harbours and rain.', '+49 30 5550101'),
  (2, 'Tomasz Wolny', 'tomasz-wolny', '1902-07-30', '1977-01-19', 1, 3.25, 1200, 'Weaver, later engraver.', NULL),
  (3, 'Noor Haddad', 'noor-haddad', '1955-12-01', NULL, 1, 4.75, 48000, NULL, '+961 1 555020'),
  (4, 'Pedro Quiroga', 'pedro-quiroga', '1933-05-05', '2001-09-09', 0, NULL, 0, '', NULL),
  (5, 'Aiko Mori', 'aiko-mori', '1988-02-29', NULL, 1, 5, 260000, 'Works in glass; 100% daylight.', NULL),
  (6, 'Samuel O''Hara', 'samuel-ohara', '1899-10-10', '1960-06-06', 0, 2.5, 15, 'Coats and doors.', NULL),
  (7, 'Zofia Żółć', NULL, NULL, NULL, 1, NULL, 7, 'Unknown dates.', '+48 22 5550303'),
  (8, 'The Clay Group', 'clay-group', '1970-01-01', NULL, 1, 1, 99, 'A collective_of many.', NULL);
INSERT INTO `galleries` (`id`, `name`, `floor`, `opens`, `closes`, `capacity`) VALUES
  ('6a000000-0000-4000-8000-000000000001', 'North Hall', 0, '09:00:00', '18:00:00', 120),
  ('6a000000-0000-4000-8000-000000000002', 'Glass Room', 1, '10:30:00', '17:15:30', 35),
  ('6a000000-0000-4000-8000-000000000003', 'Attic', 2, NULL, NULL, NULL),
  ('6a000000-0000-4000-8000-000000000004', 'Cellar', -1, '00:00:00', '23:59:59', 60),
  ('6a000000-0000-4000-8000-000000000005', 'Empty Wing', 2, '09:00:00', '18:00:00', 0);
INSERT INTO `works` (`id`, `title`, `inventory_no`, `status`, `artist`, `gallery`, `position`, `owner`, `year`, `height`, `price`, `serial`, `on_display`, `acquired`, `viewing`, `photographed`, `checked`, `details`, `labels`, `description`) VALUES
  (1, 'Harbour at Dusk', 'INV-001', 'published', 1, '6a000000-0000-4000-8000-000000000001', 1, '0a000000-0000-4000-8000-000000000003', 1905, 7.25, 125000.500000, 9007199254740993, 1, '2011-02-02', '09:07:11', '2019-02-02 00:15:02', '2020-06-01 12:00:01', '{"frame":{"wood":"oak","gilded":true},"notes":["signed","dated"],"width":82.5}', 'sea,evening', 'Harbour at Dusk, catalogue entry 1.'),
  (2, 'The Blue Ladder', 'INV-002', 'draft', 2, '6a000000-0000-4000-8000-000000000002', 2, '0a000000-0000-4000-8000-000000000003', 1931, 14.5, 800.000000, 9007199254740994, 0, '2012-03-03', '10:14:22', '2019-03-03 01:15:04', NULL, '{}', 'interior', 'The Blue Ladder, catalogue entry 2.'),
  (3, 'Winter Orchard', 'INV-003', 'published', 1, '6a000000-0000-4000-8000-000000000001', 3, NULL, 1908, 21.75, 64000.000000, 42, 0, '2013-04-04', '11:21:33', '2019-04-04 02:15:06', '2020-06-03 12:00:03', '[]', 'snow,trees,white', NULL),
  (4, 'Portrait of a Clockmaker', 'INV-004', 'published', 4, '6a000000-0000-4000-8000-000000000002', 1, '0a000000-0000-4000-8000-000000000003', 1958, 29, 2300.250000, NULL, 1, NULL, '12:28:44', '2019-05-05 03:15:08', NULL, '{"frame":{"wood":"ash","gilded":false},"notes":[],"width":40}', '', 'Portrait of a Clockmaker, catalogue entry 4.'),
  (5, 'Study in Ochre', 'INV-005', 'review', 4, '6a000000-0000-4000-8000-000000000003', 1, '0a000000-0000-4000-8000-000000000002', 1961, NULL, NULL, -9223372036854775808, 0, '2015-06-06', '13:35:55', '2019-06-06 04:15:10', '2020-06-05 12:00:05', NULL, NULL, 'Study in Ochre, catalogue entry 5.'),
  (6, 'Salt Road', NULL, 'published', NULL, NULL, NULL, NULL, 1920, 43.5, NULL, NULL, 0, '2016-07-07', NULL, '2019-07-07 05:15:12', NULL, NULL, NULL, NULL),
  (7, 'Seven Lanterns', 'INV-007', 'published', 5, '6a000000-0000-4000-8000-000000000001', 2, NULL, 2011, 50.75, 0.000001, NULL, 1, '2017-08-08', '15:49:17', NULL, '2020-06-07 12:00:07', NULL, NULL, 'Seven Lanterns, catalogue entry 7.'),
  (8, 'The Quiet Mill', 'INV-008', 'withdrawn', 2, '6a000000-0000-4000-8000-000000000004', 2, NULL, 1940, 58, NULL, NULL, 0, NULL, '16:56:28', '2019-09-09 07:15:16', NULL, NULL, NULL, ''),
  (9, 'Ferry in Fog', 'INV-009', 'published', 1, '6a000000-0000-4000-8000-000000000001', 4, '0a000000-0000-4000-8000-000000000002', 1912, 65.25, 98765432109876.543210, 9223372036854775807, 0, '2019-10-10', '17:03:39', '2019-10-10 08:15:18', '2020-06-09 12:00:09', '["loose","list"]', 'sea,fog', NULL),
  (10, 'Bronze Hare', 'INV-010', 'published', 6, '6a000000-0000-4000-8000-000000000002', 3, NULL, 1936, NULL, 2300.250000, NULL, 1, '2020-11-11', '08:10:50', '2019-11-11 09:15:20', NULL, NULL, NULL, 'Bronze Hare, catalogue entry 10.'),
  (11, '100% Linen', 'INV-011', 'draft', 6, NULL, NULL, '0a000000-0000-4000-8000-000000000003', 1937, 79.75, NULL, NULL, 0, '2021-12-12', '09:17:01', '2019-12-12 10:15:22', '2020-06-11 12:00:11', NULL, NULL, '100% Linen, catalogue entry 11.'),
  (12, 'Loom', 'INV-012', 'published', 2, '6a000000-0000-4000-8000-000000000004', 1, '0a000000-0000-4000-8000-000000000004', 1949, 87, 1500.000000, 100, 0, NULL, NULL, '2019-01-13 11:15:24', NULL, '{"frame":null,"notes":["mended"]}', 'textile', NULL),
  (13, 'Map of Rain', 'INV-013', 'published', 1, '6a000000-0000-4000-8000-000000000003', 2, NULL, 1915, 94.25, NULL, NULL, 1, '2011-02-14', '11:31:23', '2019-02-14 12:15:26', '2020-06-13 12:00:13', NULL, NULL, 'Map of Rain, catalogue entry 13.'),
  (14, 'Night Market', 'INV-014', 'published', 3, '6a000000-0000-4000-8000-000000000002', 4, NULL, 1989, 101.5, 7100.100000, 4611686018427387905, 0, '2012-03-15', '12:38:34', NULL, NULL, '"plain string"', NULL, 'Night Market, catalogue entry 14.'),
  (15, 'Glass Garden', 'INV-015', 'published', 5, '6a000000-0000-4000-8000-000000000002', 5, NULL, 2015, NULL, NULL, NULL, 0, '2013-04-16', '13:45:45', '2019-04-16 14:15:30', '2020-06-15 12:00:15', NULL, NULL, NULL),
  (16, 'The Weaver''s Hand', 'INV-016', 'published', 2, '6a000000-0000-4000-8000-000000000004', 3, NULL, 1952, 116, 1500.000001, NULL, 1, NULL, '14:52:56', '2019-05-17 15:15:32', NULL, '{"frame":{"wood":"oak"},"width":12}', 'textile,hands', 'The Weaver''s Hand, catalogue entry 16.'),
  (17, 'Granite Choir', 'INV-017', 'review', 8, '6a000000-0000-4000-8000-000000000001', 5, NULL, 1975, 123.25, NULL, NULL, 0, '2015-06-18', '15:59:07', '2019-06-18 16:15:34', '2020-06-17 12:00:17', NULL, NULL, 'Granite Choir, catalogue entry 17.'),
  (18, 'Key_Stone', 'INV-018', 'published', 8, NULL, NULL, NULL, 1981, 130.5, NULL, NULL, 0, '2016-07-19', NULL, '2019-07-19 17:15:36', NULL, NULL, NULL, NULL),
  (19, 'Tide Table', 'INV-019', 'published', 3, '6a000000-0000-4000-8000-000000000001', 6, NULL, 1994, 137.75, -12.500000, NULL, 1, '2017-08-20', '17:13:29', '2019-08-20 18:15:38', '2020-06-19 12:00:19', NULL, NULL, 'Tide Table, catalogue entry 19.'),
  (20, 'Étude Żółta', 'INV-020', 'draft', 7, '6a000000-0000-4000-8000-000000000003', NULL, '0a000000-0000-4000-8000-000000000003', NULL, NULL, NULL, NULL, 0, NULL, '08:20:40', '2019-09-21 19:15:40', NULL, NULL, 'żółty,étude', 'Étude Żółta, catalogue entry 20.'),
  (21, 'Small Hours', NULL, 'draft', NULL, NULL, NULL, '0a000000-0000-4000-8000-000000000004', NULL, 152.25, NULL, NULL, 0, '2019-10-22', '09:27:51', NULL, '2020-06-21 12:00:21', NULL, NULL, NULL),
  (22, 'Amber Staircase', 'INV-022', 'published', 5, '6a000000-0000-4000-8000-000000000002', 6, NULL, 2019, 159.5, 43000.000000, NULL, 1, '2020-11-23', '10:34:02', '2019-11-23 21:15:44', NULL, NULL, NULL, 'Amber Staircase, catalogue entry 22.'),
  (23, 'River Stones', 'INV-023', 'published', 3, '6a000000-0000-4000-8000-000000000001', NULL, NULL, 1992, 166.75, NULL, NULL, 0, '2021-12-24', '11:41:13', '2019-12-24 22:15:46', '2020-06-23 12:00:23', NULL, NULL, 'River Stones, catalogue entry 23.'),
  (24, 'Last Tram', 'INV-024', 'withdrawn', 3, NULL, NULL, NULL, 1990, 174, NULL, NULL, 0, NULL, NULL, '2019-01-25 23:15:48', NULL, NULL, NULL, NULL);
INSERT INTO `themes` (`id`, `name`, `parent`, `sort`) VALUES
  (1, 'Places', NULL, 1),
  (2, 'People', NULL, 2),
  (3, 'Water', 1, 1),
  (4, 'Cities', 1, 2),
  (5, 'Harbours', 3, 1),
  (6, 'Rivers', 3, 2),
  (7, 'Craft', 2, 1),
  (8, 'Weaving', 7, NULL),
  (9, 'Night', NULL, 3);
INSERT INTO `works_themes` (`id`, `work_id`, `theme_id`, `weight`) VALUES
  (1, 1, 5, 3),
  (2, 1, 9, 1),
  (3, 2, 7, 2),
  (4, 3, 1, 1),
  (5, 4, 2, 5),
  (6, 4, 7, 2),
  (7, 6, 3, 1),
  (8, 7, 9, 4),
  (9, 8, 7, 1),
  (10, 9, 5, 2),
  (11, 9, 3, 1),
  (12, 12, 8, 5),
  (13, 14, 4, 2),
  (14, 14, 9, 3),
  (15, 16, 8, 4),
  (16, 16, 2, 1),
  (17, 19, 3, 2),
  (18, 23, 6, 1),
  (19, 24, 4, 1),
  (20, NULL, 6, 1);
INSERT INTO `exhibitions` (`code`, `title`, `starts`, `ends`, `budget`, `is_open`, `created_by`, `created_at`, `changed_at`, `press_code`) VALUES
  ('fog-2021', 'Fog and Ferries', '2021-03-01', '2021-06-30', 15000.500000, 1, '0a000000-0000-4000-8000-000000000001', '2021-01-05 08:00:00', NULL, NULL),
  ('looms', 'Looms', '2022-09-15', NULL, 8200.000000, 1, '0a000000-0000-4000-8000-000000000003', '2022-02-01 12:30:00', '2022-03-01 09:15:00', NULL),
  ('night-works', 'Night Works', '2099-01-01', '2099-02-01', NULL, 0, NULL, NULL, NULL, NULL),
  ('empty', 'Nothing Yet', NULL, NULL, 0.000001, NULL, NULL, NULL, NULL, NULL);
INSERT INTO `exhibitions_works` (`id`, `exhibition`, `work`, `position`, `caption`) VALUES
  (1, 'fog-2021', 9, 2, 'Lent by the city'),
  (2, 'fog-2021', 1, 1, NULL),
  (3, 'fog-2021', 19, 3, 'Restored'),
  (4, 'looms', 12, 1, NULL),
  (5, 'looms', 16, 2, 'Hand detail'),
  (6, 'night-works', 14, 1, NULL),
  (7, 'night-works', 7, 2, NULL),
  (8, 'night-works', 1, 3, 'Second showing');
INSERT INTO `block_texts` (`id`, `heading`, `body`) VALUES
  (1, 'Welcome', 'Fog comes in from the sea.'),
  (2, 'About the ferries', 'Three boats, two captains.'),
  (3, 'Threads', 'Warp and weft.'),
  (4, 'Closing words', NULL),
  (5, 'Unused', 'Nobody shows this.');
INSERT INTO `block_quotes` (`id`, `quote`, `source`) VALUES
  ('7b000000-0000-4000-8000-000000000001', 'Rain is a kind of paint.', 'Ilka Brandt'),
  ('7b000000-0000-4000-8000-000000000002', 'A loom keeps time.', 'Tomasz Wolny'),
  ('7b000000-0000-4000-8000-000000000003', 'Light first.', NULL);
INSERT INTO `exhibition_blocks` (`id`, `exhibition`, `collection`, `item`, `sort`) VALUES
  (1, 'fog-2021', 'block_texts', '1', 1),
  (2, 'fog-2021', 'block_quotes', '7b000000-0000-4000-8000-000000000001', 2),
  (3, 'fog-2021', 'works', '9', 3),
  (4, 'fog-2021', 'block_texts', '2', 4),
  (5, 'looms', 'block_quotes', '7b000000-0000-4000-8000-000000000002', 1),
  (6, 'looms', 'block_texts', '3', 2),
  (7, 'night-works', 'works', '14', 2),
  (8, 'night-works', 'block_texts', '4', 1);
INSERT INTO `museum` (`id`, `name`, `opened`, `contact`, `visitors`) VALUES
  (1, 'Harbour Museum', '1911-04-23', '{"city":"Lund","mail":"desk@museum.example","days":["tue","sun"]}', 18014398509481985);
INSERT INTO `visits` (`id`, `visitor`, `exhibition`, `score`, `seen`, `guided`) VALUES
  (1, 'Ada', 'fog-2021', 5, '2021-03-02 11:00:00', 1),
  (2, 'Bo', 'fog-2021', 3, '2021-04-10 15:30:00', 0),
  (3, 'Cy', 'looms', NULL, '2022-10-01 10:00:00', NULL),
  (4, 'Di', NULL, 1, NULL, 0),
  (5, 'Ed', 'looms', 4, '2022-12-31 23:59:59', 1);
ALTER TABLE `artists` AUTO_INCREMENT = 100001;
ALTER TABLE `works` AUTO_INCREMENT = 100001;
ALTER TABLE `themes` AUTO_INCREMENT = 100001;
ALTER TABLE `works_themes` AUTO_INCREMENT = 100001;
ALTER TABLE `exhibitions_works` AUTO_INCREMENT = 100001;
ALTER TABLE `block_texts` AUTO_INCREMENT = 100001;
ALTER TABLE `exhibition_blocks` AUTO_INCREMENT = 100001;
ALTER TABLE `museum` AUTO_INCREMENT = 100001;
ALTER TABLE `visits` AUTO_INCREMENT = 100001;
SET FOREIGN_KEY_CHECKS = 1;
